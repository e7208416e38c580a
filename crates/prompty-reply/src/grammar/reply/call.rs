//! Calls: what they begin with, what stands around them and between them, and their parts.

use super::argument::{For, ValueEnd};
use super::maker::Maker;
use super::markers::{header_text, mark, marker, space};
use super::part::parameters;
use crate::format::JsonCall;
use crate::grammar::schema::basic::{braced, further, pair, white_space as gap};
use crate::grammar::{CharacterClass, Expression, Result, budget};
use crate::layout::{Header, Literal, Mark, Part, Slot, Unit, show_a_call};
use prompty_core::message::ToolSpec;
use prompty_core::value::{Map, Value};

/// How often the name of a tool is copied into rules and names, at most.
const COPIES_OF_NAME: usize = 8;

impl Maker<'_> {
    /// One call or more, with what stands around them.
    pub(super) fn calls(&mut self, tools: &[&ToolSpec], parallel: bool) -> Result<Expression> {
        match self.reply.find(Unit::Calls) {
            Some(calls) => self.written(calls, For::Tools(tools, parallel)),
            None => Ok(Expression::NOTHING),
        }
    }

    /// A part as it is written: with what a reply may leave out.
    pub(super) fn written(&mut self, part: &Part, of: For<'_>) -> Result<Expression> {
        match (part, of) {
            (Part::Row(parts), _) => self.row(parts, of),
            (Part::Optional(part) | Part::Unit(_, part) | Part::Spellings(part, _), _) => {
                self.written(part, of)
            }
            (Part::Choice(ways), _) => {
                let ways = ways.iter().map(|way| self.written(way, of));
                Ok(Expression::Choice(ways.collect::<Result<_, _>>()?))
            }
            (Part::Literal(literal), _) => Ok(self.fixed(literal)),
            (Part::Repeat { part, separator, many }, For::Tools(tools, parallel)) => {
                self.row_of_calls(part, separator, tools, parallel && *many)
            }
            (Part::Repeat { part, separator, .. }, For::Tool(tool)) => {
                let of = (&tool.parameters, 0);
                self.arguments(part, &separator.marker, parameters(tool), of)
            }
            (Part::Slot(slot), For::Tool(tool)) => self.part_of_call(slot, tool),
            (Part::Slot(slot), For::Argument(argument)) => self.part_of_argument(slot, argument),
            // Data is of one tool or argument, and an argument holds no others but its value does.
            (Part::Slot(_), For::Tools(..)) | (Part::Repeat { .. }, For::Argument(_)) => {
                Ok(Expression::NOTHING)
            }
        }
    }

    fn row(&mut self, parts: &[Part], of: For<'_>) -> Result<Expression> {
        let mut row = Vec::new();
        let mut rest = parts;
        while let Some((part, behind)) = rest.split_first() {
            rest = behind;
            let written = match (part, behind.first(), of) {
                (
                    Part::Slot(Slot::Value { quoting }),
                    Some(Part::Literal(Literal { marker: close, .. })),
                    For::Argument(argument),
                ) => self.value(argument, ValueEnd { close, quoting })?,
                _ => self.written(part, of)?,
            };
            // A lazy grammar comes into force at the inner opener, too.
            row.push(match part {
                Part::Literal(it) if it.mark.opens_call() && show_a_call(behind) => {
                    written.optional()
                }
                _ => written,
            });
        }
        Ok(Expression::Sequence(row))
    }

    fn fixed(&self, literal: &Literal) -> Expression {
        let marker = &literal.marker;
        let written = self::marker(marker);
        match literal.mark {
            Mark::ListOpen if !marker.is_none() => Expression::sequence([written, gap()]),
            Mark::ListClose if !marker.is_none() => Expression::sequence([gap(), written]),
            Mark::ListSeparator => {
                let behind = Expression::choice([gap(), Expression::text(marker.after.clone())]);
                Expression::sequence([gap(), Expression::text(marker.text.clone()), behind])
            }
            // White space behind JSON may be any.
            Mark::CallClose | Mark::SectionClose if self.has_objects() => {
                Expression::sequence([gap(), written])
            }
            // Nothing else tells one call from the next, or the key from the value.
            Mark::CallSeparator if !marker.is_none() => Expression::text(marker.to_string()),
            Mark::KeyClose if marker.is_none() => Expression::text(marker.to_string()),
            // No word follows, that could go on with its own.
            Mark::NameSuffix | Mark::KeyClose => Expression::sequence([
                space(&marker.before),
                mark(&marker.text),
                space(&marker.after),
            ]),
            // Free text goes up to it as it is. Many models break the line behind it.
            Mark::ValueClose => Expression::sequence([
                Expression::text(marker.text.clone()),
                space(&marker.after),
                space("\n"),
            ]),
            _ => written,
        }
    }

    /// Whether calls are JSON objects.
    fn has_objects(&self) -> bool {
        let calls = self.reply.find(Unit::Call);
        calls.is_some_and(|call| matches!(call, Part::Slot(Slot::Object(_))))
    }

    fn row_of_calls(
        &mut self,
        part: &Part,
        separator: &Literal,
        tools: &[&ToolSpec],
        parallel: bool,
    ) -> Result<Expression> {
        let mut calls = Vec::new();
        for tool in tools {
            let name = tool.name.len().saturating_mul(COPIES_OF_NAME);
            self.builder.budget.spend(budget::PER_TOOL.saturating_add(name))?;
            let call = self.written(part, For::Tool(tool))?;
            let call = self.message(tool, call);
            calls.push(self.by_parts(&format!("call-{}", tool.name), call).into());
        }
        let call = self.by_parts("call", Expression::Choice(calls));
        if !parallel {
            return Ok(call.into());
        }
        let more = [self.fixed(separator), self.next_message(), call.into()];
        Ok(Expression::sequence([call.into(), Expression::sequence(more).repeated(0, None)]))
    }

    /// What stands between two messages, where replies are a row of them.
    fn next_message(&self) -> Expression {
        match self.reply.marked(Mark::HeaderOpen).next() {
            Some(open) => {
                let closers = Expression::choice(self.reply.marked(Mark::BodyClose).map(marker));
                Expression::sequence([closers, marker(open)])
            }
            None => Expression::EMPTY,
        }
    }

    /// A call as it is; where replies are messages, as the body of one whose header names the tool.
    fn message(&self, tool: &ToolSpec, body: Expression) -> Expression {
        let Some(header) = self.reply.header() else { return body };
        let Header { recipient, namespace, suffix, .. } = header;
        let recipient = format!("{recipient}{namespace}{}", tool.name);
        // What else the header says may be written in more than one way; it begins with what no name
        // goes on with.
        let token = suffix.split_inclusive('>').next().filter(|token| token.starts_with('<'));
        let begins = [" "].into_iter().chain(token);
        let begins = Expression::choice(begins.map(|it| Expression::text(it.to_owned())));
        let end = self.reply.marked(Mark::HeaderEnd).next().cloned().unwrap_or_default();
        let rest = Expression::sequence([begins, Expression::until([&*end.text])]);
        let header = Expression::sequence([header_text(&recipient), rest.optional()]);
        Expression::sequence([header, marker(&end), body])
    }

    /// What stands in a slot of a call.
    fn part_of_call(&mut self, slot: &Slot, tool: &ToolSpec) -> Result<Expression> {
        match slot {
            Slot::Name { namespace } => Ok(Expression::text(format!("{namespace}{}", tool.name))),
            Slot::Id => Ok(id_text()),
            // It counts the calls.
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

    /// A call as a JSON object, its keys in the template's order.
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
                // A field that always says the same: that it is a function.
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

    /// Arguments as a JSON object.
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
    let letters = [('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_'), ('-', '-')];
    Expression::Class(letters.into_iter().collect()).repeated(1, Some(64))
}

fn json_id() -> Expression {
    let text = Expression::sequence(["\"".into(), id_text(), "\"".into()]);
    let digit = |from| Expression::Class(CharacterClass::range(from, '9'));
    let number = Expression::sequence([digit('1'), digit('0').repeated(0, Some(8))]);
    Expression::choice([text, "0".into(), number])
}

fn json_key(key: &str) -> Expression {
    Expression::text(Value::from(key).to_json())
}

/// A JSON object of these keys and values.
fn object(fields: impl IntoIterator<Item = (Expression, Expression)>) -> Expression {
    let space = gap();
    let mut fields = fields.into_iter().map(|(key, value)| pair(key, &space, value));
    let first = fields.next().unwrap_or(Expression::EMPTY);
    // White space stands in front of a comma, too.
    let others = fields.flat_map(|field| [space.clone(), further(&space, field)]);
    let all = Expression::Sequence(std::iter::once(first).chain(others).collect());
    braced("{", all, "}", &space)
}
