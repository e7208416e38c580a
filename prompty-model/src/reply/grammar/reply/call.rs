//! Calls: what they begin with, what stands around them and between them, and their parts.

use super::{Maker, header_text, marker, space};
use crate::reply::format::{
    CallId, CallIdPosition, CallShape, Headers, JsonCall, Marker, NamePlace, NamedCall,
    ReplyFormat, Tools,
};
use crate::reply::grammar::{CharacterClass, Expression, budget};
use prompty_core::error::Error;
use prompty_core::message::Tool;
use prompty_core::value::{Map, Value};

/// How often the name of a tool is copied into rules and names, at most.
const COPIES_OF_NAME: usize = 8;

/// What brings a lazy grammar into force, from where it begins in the reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// This text, wherever it stands.
    Word(String),
    /// A regular expression, over the reply from its start.
    Pattern(String),
}

impl Trigger {
    /// The text that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Pattern(_) => None,
        }
    }
}

/// What a call of these tools begins with.
pub(super) fn triggers(format: &ReplyFormat, tools: &[&Tool]) -> Vec<Trigger> {
    if tools.is_empty() {
        return Vec::new();
    }
    if let Some(headers) = &format.headers {
        let word = format!("{}{}", headers.recipient, headers.namespace);
        // A recipient's text alone may name what is no tool.
        return match headers.namespace.is_empty() {
            false => vec![Trigger::Word(word)],
            true => {
                tools.iter().map(|tool| Trigger::Word(format!("{word}{}", tool.name))).collect()
            }
        };
    }
    openers(format).into_iter().map(Trigger::Word).collect()
}

/// What a call may begin with, in text that is no call: the outermost marker, and those inside of
/// it, without which the parser knows a call too.
pub(super) fn openers(format: &ReplyFormat) -> Vec<String> {
    let Some(tools) = &format.tools else { return Vec::new() };
    let mut openers = vec![&tools.section_open, &tools.call_open];
    if let CallShape::Named(call) = &tools.shape
        && (call.prefix.is_markup() || openers.iter().all(|opener| opener.is_none()))
    {
        openers.push(&call.prefix);
    }
    let openers = openers.into_iter().filter(|marker| !marker.is_none());
    openers.map(|marker| marker.text.clone().into_owned()).collect()
}

/// An outer marker, which may be missing where the one inside of it says enough.
fn outer(marker: &Marker, inner: &Marker) -> Expression {
    let opener = super::marker(marker);
    if inner.is_markup() { opener.optional() } else { opener }
}

impl Maker<'_> {
    /// One call or more, with what stands around them.
    pub(super) fn calls(&mut self, tools: &[&Tool], parallel: bool) -> Result<Expression, Error> {
        let Some(format) = &self.format.tools else { return Ok(Expression::NOTHING) };
        let mut calls = Vec::new();
        for tool in tools {
            let name = tool.name.len().saturating_mul(COPIES_OF_NAME);
            self.builder.budget.spend(budget::PER_TOOL.saturating_add(name))?;
            let call = self.call(format, tool)?;
            calls.push(self.by_parts(&format!("call-{}", tool.name), call).into());
        }
        let call = self.by_parts("call", Expression::Choice(calls));
        let more = match parallel && format.parallel {
            true => {
                let separator = separator(format);
                Expression::sequence([separator, call.into()]).repeated(0, None)
            }
            false => Expression::EMPTY,
        };
        let row = Expression::sequence([call.into(), more]);
        let row = match format.array {
            true => Expression::sequence(["[".into(), gap(), row, gap(), "]".into()]),
            false => row,
        };
        let is_json = matches!(format.shape, CallShape::Json(_));
        let close = match is_json {
            true => Expression::sequence([gap(), marker(&format.section_close)]),
            false => marker(&format.section_close),
        };
        let open = match format.array {
            true => marker(&format.section_open),
            false => outer(&format.section_open, &format.call_open),
        };
        Ok(Expression::sequence([open, row, close]))
    }

    fn call(&mut self, format: &Tools, tool: &Tool) -> Result<Expression, Error> {
        let call = match &format.shape {
            CallShape::Json(call) => self.json_call(call, tool)?,
            CallShape::Named(call) => self.named_call(call, tool)?,
        };
        let (prefix, close) = match &format.shape {
            CallShape::Named(call) => (&call.prefix, marker(&format.call_close)),
            CallShape::Json(_) => {
                (&Marker::NONE, Expression::sequence([gap(), marker(&format.call_close)]))
            }
        };
        let wrapped = Expression::sequence([outer(&format.call_open, prefix), call, close]);
        match &self.format.headers {
            Some(headers) => Ok(self.message(headers, &format.shape, tool, wrapped)),
            None => Ok(wrapped),
        }
    }

    /// A call as the body of a message, whose header names the tool.
    fn message(
        &mut self,
        headers: &Headers,
        shape: &CallShape,
        tool: &Tool,
        body: Expression,
    ) -> Expression {
        let recipient = format!("{}{}{}", headers.recipient, headers.namespace, tool.name);
        // What else the header says may be written in more than one way; it begins with what no name
        // goes on with.
        let suffix = match shape {
            CallShape::Named(call) if call.name == NamePlace::Header => {
                call.suffix.text.to_string()
            }
            _ => String::new(),
        };
        let token = suffix.split_inclusive('>').next().filter(|token| token.starts_with('<'));
        let begins = [" ".to_owned()].into_iter().chain(token.map(str::to_owned));
        let begins = Expression::choice(begins.map(Expression::text));
        let rest = Expression::sequence([begins, Expression::until([&*headers.end.text])]);
        let header = Expression::sequence([header_text(&recipient), rest.optional()]);
        Expression::sequence([header, marker(&headers.end), body])
    }

    /// A call as a JSON object, its keys in the template's order.
    pub(super) fn json_call(&mut self, call: &JsonCall, tool: &Tool) -> Result<Expression, Error> {
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

    /// A call whose name stands in markup.
    fn named_call(&mut self, call: &NamedCall, tool: &Tool) -> Result<Expression, Error> {
        let arguments = self.arguments(&call.arguments, tool)?;
        let close = marker(&call.close);
        if call.name == NamePlace::Header {
            return Ok(Expression::sequence([arguments, close]));
        }
        let (id_in_front, id_between, id_behind) = ids(call.id.as_ref());
        let name = Expression::text(format!("{}{}", call.namespace, tool.name));
        let mut suffix = super::mark(&call.suffix.text.text);
        if let Some(hint) = &call.suffix.hint {
            let digits = Expression::Class(CharacterClass::range('0', '9')).repeated(1, Some(4));
            suffix = Expression::sequence([suffix, digits, marker(&hint.end)]);
        }
        let suffix = Expression::sequence([
            space(&call.suffix.text.before),
            suffix,
            space(&call.suffix.text.after),
        ]);
        let behind_name = match id_between {
            Some(id) if call.id.as_ref().is_some_and(|id| !id.suffix.is_none()) => {
                Expression::choice([id, suffix])
            }
            Some(id) => Expression::sequence([id.optional(), suffix]),
            None => suffix,
        };
        Ok(Expression::sequence([
            id_in_front.unwrap_or(Expression::EMPTY),
            marker(&call.prefix),
            name,
            behind_name,
            arguments,
            id_behind.unwrap_or(Expression::EMPTY),
            close,
        ]))
    }

    /// Arguments as a JSON object.
    pub(super) fn json_arguments(&mut self, tool: &Tool) -> Result<Expression, Error> {
        let schema = match tool.parameters.is_empty() {
            true => Value::from(Map::from([("type", "object")])),
            false => Value::from(tool.parameters.clone()),
        };
        self.schema(&format!("{}-arguments", tool.name), &schema)
    }
}

/// What stands between two calls.
fn separator(format: &Tools) -> Expression {
    if format.array {
        return Expression::sequence([gap(), ",".into(), gap()]);
    }
    match format.separator.trim().is_empty() {
        true => space(&format.separator),
        false => Expression::text(format.separator.clone()),
    }
}

/// An id, by where it stands.
fn ids(id: Option<&CallId>) -> (Option<Expression>, Option<Expression>, Option<Expression>) {
    let Some(id) = id else { return (None, None, None) };
    let written = Expression::sequence([marker(&id.prefix), id_text(), marker(&id.suffix)]);
    match id.position {
        CallIdPosition::PreFuncName => (Some(written), None, None),
        CallIdPosition::BetweenFuncAndArgs => (None, Some(written), None),
        CallIdPosition::PostArgs => (None, None, Some(written)),
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
    let mut parts = vec!["{".into(), gap()];
    for (index, (key, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            parts.extend([gap(), ",".into(), gap()]);
        }
        parts.extend([key, gap(), ":".into(), gap(), value]);
    }
    parts.extend([gap(), "}".into()]);
    Expression::Sequence(parts)
}

/// White space between the tokens of JSON: none, a blank, or a line break with an indent.
pub(super) fn gap() -> Expression {
    let indent = Expression::Class(CharacterClass::from_characters(" \t")).repeated(0, Some(20));
    let line = Expression::sequence([Expression::text("\n").repeated(1, Some(2)), indent]);
    Expression::choice([" ".into(), line]).optional()
}
