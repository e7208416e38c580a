//! Calls: their openers, their parts, and the text around and between them.
//!
//! `write_part` walks through the layout. What it writes depends on the [`WriteTarget`]: the part
//! [`Unit::Calls`] is written for several tools, each repeated call for one tool, and each repeated
//! argument for one property of the tool's schema.

use super::argument::{ValueEnd, WriteTarget};
use super::markers::{header_text, marker_text, marker_with_space, optional_text};
use super::part::parameters;
use super::reply_builder::ReplyGrammarBuilder;
use crate::format::JsonCall;
use crate::grammar::schema::basic::{after_comma, braced, pair, white_space};
use crate::grammar::{CharacterClass, Expression, Result, budget};
use crate::layout::{Header, LayoutPart, Literal, Mark, Slot, Unit, begin_with_call_opener};
use prompty_core::message::ToolSpec;
use prompty_core::value::{Map, Value};

/// The maximum number of times that a tool's name is copied into rules and names.
const COPIES_OF_NAME: usize = 8;

impl ReplyGrammarBuilder<'_> {
    /// Writes one call or more, with the text around them.
    pub(super) fn calls(&mut self, tools: &[&ToolSpec], parallel: bool) -> Result<Expression> {
        match self.reply.find(Unit::Calls) {
            Some(calls) => self.write_part(calls, WriteTarget::Tools(tools, parallel)),
            None => Ok(Expression::NOTHING),
        }
    }

    /// Writes a part in the template's spelling, with optional parts.
    pub(super) fn write_part(
        &mut self,
        part: &LayoutPart,
        of: WriteTarget<'_>,
    ) -> Result<Expression> {
        match (part, of) {
            (LayoutPart::Row(parts), _) => self.part_sequence(parts, of),
            (
                LayoutPart::Optional(part)
                | LayoutPart::Unit(_, part)
                | LayoutPart::Spellings(part, _),
                _,
            ) => self.write_part(part, of),
            (LayoutPart::Choice(ways), _) => {
                let ways = ways.iter().map(|way| self.write_part(way, of));
                Ok(Expression::Choice(ways.collect::<Result<_, _>>()?))
            }
            (LayoutPart::Literal(literal), _) => Ok(self.fixed(literal)),
            (LayoutPart::Repeat { part, separator, many }, WriteTarget::Tools(tools, parallel)) => {
                self.call_sequence(part, separator, tools, parallel && *many)
            }
            (LayoutPart::Repeat { part, separator, .. }, WriteTarget::Tool(tool)) => {
                let of = (&tool.parameters, 0);
                self.arguments(part, &separator.marker, parameters(tool), of)
            }
            (LayoutPart::Slot(slot), WriteTarget::Tool(tool)) => self.part_of_call(slot, tool),
            (LayoutPart::Slot(slot), WriteTarget::Argument(argument)) => {
                self.part_of_argument(slot, argument)
            }
            // Data always belongs to one tool or argument. An argument contains others only in its
            // value.
            (LayoutPart::Slot(_), WriteTarget::Tools(..))
            | (LayoutPart::Repeat { .. }, WriteTarget::Argument(_)) => Ok(Expression::NOTHING),
        }
    }

    /// Writes parts in sequence. The value of a tagged argument is written together with the closer
    /// after it, which it cannot contain.
    fn part_sequence(&mut self, parts: &[LayoutPart], of: WriteTarget<'_>) -> Result<Expression> {
        let mut row = Vec::new();
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            rest = after;
            let expression = match (part, after.first(), of) {
                (
                    LayoutPart::Slot(Slot::Value { quoting }),
                    Some(LayoutPart::Literal(Literal { marker: close, .. })),
                    WriteTarget::Argument(argument),
                ) => self.value(argument, ValueEnd { close, quoting })?,
                _ => self.write_part(part, of)?,
            };
            // A lazy grammar can also start at the inner opener.
            row.push(match part {
                LayoutPart::Literal(it)
                    if it.mark.opens_call() && begin_with_call_opener(after) =>
                {
                    expression.optional()
                }
                _ => expression,
            });
        }
        Ok(Expression::Sequence(row))
    }

    /// Writes a literal, with the white space that may be around it.
    fn fixed(&self, literal: &Literal) -> Expression {
        let marker = &literal.marker;
        let expression = marker_with_space(marker);
        match literal.mark {
            Mark::ListOpen if !marker.is_none() => {
                Expression::sequence([expression, white_space()])
            }
            Mark::ListClose if !marker.is_none() => {
                Expression::sequence([white_space(), expression])
            }
            Mark::ListSeparator => {
                let space_after =
                    Expression::choice([white_space(), Expression::text(marker.after.clone())]);
                Expression::sequence([
                    white_space(),
                    Expression::text(marker.text.clone()),
                    space_after,
                ])
            }
            // White space after JSON may be any.
            Mark::CallClose | Mark::SectionClose if self.has_objects() => {
                Expression::sequence([white_space(), expression])
            }
            // Nothing else separates two calls, or the key from the value.
            Mark::CallSeparator if !marker.is_none() => Expression::text(marker.to_string()),
            Mark::KeyClose if marker.is_none() => Expression::text(marker.to_string()),
            // Data follows, which cannot continue a word at the end of the marker. So the white
            // space after it may be missing, unlike in `marker_with_space`.
            Mark::NameSuffix | Mark::KeyClose => Expression::sequence([
                optional_text(&marker.before),
                marker_text(&marker.text),
                optional_text(&marker.after),
            ]),
            // Free text extends up to the closer unchanged. Many models write a line break after
            // it.
            Mark::ValueClose => Expression::sequence([
                Expression::text(marker.text.clone()),
                optional_text(&marker.after),
                optional_text("\n"),
            ]),
            _ => expression,
        }
    }

    /// Whether calls are JSON objects.
    fn has_objects(&self) -> bool {
        let calls = self.reply.find(Unit::Call);
        calls.is_some_and(|call| matches!(call, LayoutPart::Slot(Slot::Object(_))))
    }

    /// Writes one call of any of the tools, and more calls if they may be parallel.
    fn call_sequence(
        &mut self,
        part: &LayoutPart,
        separator: &Literal,
        tools: &[&ToolSpec],
        parallel: bool,
    ) -> Result<Expression> {
        let mut calls = Vec::new();
        for tool in tools {
            let name = tool.name.len().saturating_mul(COPIES_OF_NAME);
            self.builder.budget.spend(budget::PER_TOOL.saturating_add(name))?;
            let call = self.write_part(part, WriteTarget::Tool(tool))?;
            let call = self.message(tool, call);
            calls.push(self.written_by_parts(&format!("call-{}", tool.name), call).into());
        }
        let call = self.written_by_parts("call", Expression::Choice(calls));
        if !parallel {
            return Ok(call.into());
        }
        let more = [self.fixed(separator), self.next_message(), call.into()];
        Ok(Expression::sequence([call.into(), Expression::sequence(more).repeated(0, None)]))
    }

    /// The text between two messages, if replies are sequences of messages.
    fn next_message(&self) -> Expression {
        match self.reply.marked(Mark::HeaderOpen).next() {
            Some(open) => {
                let closers =
                    Expression::choice(self.reply.marked(Mark::BodyClose).map(marker_with_space));
                Expression::sequence([closers, marker_with_space(open)])
            }
            None => Expression::EMPTY,
        }
    }

    /// Writes a call. If replies are messages, it is the body of a message whose header names the
    /// tool.
    fn message(&self, tool: &ToolSpec, body: Expression) -> Expression {
        let Some(header) = self.reply.header() else { return body };
        let Header { recipient, namespace, suffix, .. } = header;
        let recipient = format!("{recipient}{namespace}{}", tool.name);
        // The rest of the header may be written in more than one way. It begins with a character
        // that cannot continue a name.
        let token = suffix.split_inclusive('>').next().filter(|token| token.starts_with('<'));
        let begins = [" "].into_iter().chain(token);
        let begins = Expression::choice(begins.map(|it| Expression::text(it.to_owned())));
        let end = self.reply.marked(Mark::HeaderEnd).next().cloned().unwrap_or_default();
        let rest = Expression::sequence([begins, Expression::until([&*end.text])]);
        let header = Expression::sequence([header_text(&recipient), rest.optional()]);
        Expression::sequence([header, marker_with_space(&end), body])
    }

    /// Writes the data in a slot of a call.
    fn part_of_call(&mut self, slot: &Slot, tool: &ToolSpec) -> Result<Expression> {
        match slot {
            Slot::Name { namespace } => Ok(Expression::text(format!("{namespace}{}", tool.name))),
            Slot::Id => Ok(id_text()),
            // The word is the count of the calls.
            Slot::Word { .. } => {
                Ok(Expression::Class(CharacterClass::range('0', '9')).repeated(1, Some(4)))
            }
            Slot::Json => self.json_arguments(tool),
            Slot::Object(call) => self.json_call(call, tool),
            Slot::Assignments { assign, separator, quote, close } => {
                self.assignments(tool, assign, separator, quote, close)
            }
            _ => Ok(Expression::NOTHING),
        }
    }

    /// Writes a call as a JSON object, with its keys in the template's order.
    pub(super) fn json_call(&mut self, call: &JsonCall, tool: &ToolSpec) -> Result<Expression> {
        let arguments = self.json_arguments(tool)?;
        let name = Expression::text(Value::from(tool.name.as_str()).to_json());
        if call.name_is_key {
            return Ok(object([(name, arguments)]));
        }
        let mut order: Vec<&str> = call.order.iter().map(|key| &**key).collect();
        if order.is_empty() {
            order = vec![&call.id_field, &call.gen_id_field, &call.name_field, &call.args_field];
            order.retain(|key| !key.is_empty());
        }
        let mut fields = Vec::new();
        let mut inside = Vec::new();
        for key in order {
            let is_inner = key == call.name_field || key == call.args_field;
            let value = if key == call.name_field {
                name.clone()
            } else if key == call.args_field {
                arguments.clone()
            } else if key == call.id_field || key == call.gen_id_field {
                json_id()
            } else if key == call.function_field {
                continue;
            } else {
                // A field with a constant value: it says that this is a function.
                Expression::text("\"function\"")
            };
            let field = (json_key(key), value);
            match is_inner && !call.function_field.is_empty() {
                true => inside.push(field),
                false => fields.push(field),
            }
        }
        if !inside.is_empty() {
            fields.push((json_key(&call.function_field), object(inside)));
        }
        Ok(object(fields))
    }

    /// Writes arguments as a JSON object.
    pub(super) fn json_arguments(&mut self, tool: &ToolSpec) -> Result<Expression> {
        let schema = match tool.parameters.is_empty() {
            true => Value::from(Map::from([("type", "object")])),
            false => Value::from(tool.parameters.clone()),
        };
        self.schema(&format!("{}-arguments", tool.name), &schema)
    }
}

/// The text of an id.
fn id_text() -> Expression {
    let ranges = [('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_'), ('-', '-')];
    Expression::Class(ranges.into_iter().collect()).repeated(1, Some(64))
}

/// An id in JSON: a string, or an integer of at most nine digits.
fn json_id() -> Expression {
    let text = Expression::sequence(["\"".into(), id_text(), "\"".into()]);
    let digit = |from| Expression::Class(CharacterClass::range(from, '9'));
    let number = Expression::sequence([digit('1'), digit('0').repeated(0, Some(8))]);
    Expression::choice([text, "0".into(), number])
}

fn json_key(key: &str) -> Expression {
    Expression::text(Value::from(key).to_json())
}

/// A JSON object with these keys and values.
fn object(fields: impl IntoIterator<Item = (Expression, Expression)>) -> Expression {
    let space = white_space();
    let mut fields = fields.into_iter().map(|(key, value)| pair(key, &space, value));
    let first = fields.next().unwrap_or(Expression::EMPTY);
    // White space may precede a comma, too.
    let others = fields.flat_map(|field| [space.clone(), after_comma(&space, field)]);
    let all = Expression::Sequence(std::iter::once(first).chain(others).collect());
    braced("{", all, "}", &space)
}
