//! The structural tag: what servers exchange to say which text opens a structure, what it holds and
//! what closes it.

use super::call::openers;
use super::{Maker, Request};
use crate::error::Error;
use crate::message::{Tool, ToolChoice};
use crate::reply::format::{Arguments, CallShape, JsonCall, NamePlace, ReplyFormat, Tools};
use crate::reply::grammar::Expression;
use crate::value::{Map, Value};

/// The tags of a request: one for each tool, and the schema of the content.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::reply::grammar) struct Tags {
    triggers: Vec<String>,
    tags: Vec<Value>,
    content: Option<Value>,
    is_required: bool,
    stops_after_first: bool,
}

impl Tags {
    pub(super) fn of(request: &Request<'_>, tools: &[&Tool]) -> Result<Self, Error> {
        let Some(format) = &request.format.tools else {
            return Ok(Self { content: request.content_schema.cloned(), ..Self::default() });
        };
        let tags = tools.iter().map(|tool| tag(request, format, tool));
        let choice = &request.options.tool_choice;
        Ok(Self {
            triggers: triggers(request.format),
            tags: tags.collect::<Result<_, _>>()?,
            content: request.content_schema.cloned(),
            is_required: !matches!(choice, ToolChoice::Auto | ToolChoice::None),
            stops_after_first: !(request.options.parallel && format.parallel),
        })
    }

    /// As JSON: `{"type": "structural_tag", "format": …}`.
    pub(super) fn to_value(&self) -> Value {
        let content = self.content.as_ref().map(json_schema);
        let tags = (!self.tags.is_empty()).then(|| {
            Value::from(Map::from([
                ("type", Value::from("triggered_tags")),
                ("triggers", self.triggers.iter().map(|it| Value::from(it.as_str())).collect()),
                ("tags", self.tags.clone().into()),
                ("at_least_one", self.is_required.into()),
                ("stop_after_first", self.stops_after_first.into()),
            ]))
        });
        let format = match (tags, content) {
            (Some(tags), Some(content)) if !self.is_required => Value::from(Map::from([
                ("type", Value::from("or")),
                ("elements", vec![tags, content].into()),
            ])),
            (Some(tags), _) => tags,
            (None, Some(content)) => content,
            (None, None) => Map::from([("type", "any_text")]).into(),
        };
        Map::from([("type", Value::from("structural_tag")), ("format", format)]).into()
    }
}

fn triggers(format: &ReplyFormat) -> Vec<String> {
    match &format.headers {
        Some(headers) => vec![format!("{}{}", headers.recipient, headers.namespace)],
        None => openers(format),
    }
}

fn json_schema(schema: &Value) -> Value {
    Map::from([("type", Value::from("json_schema")), ("json_schema", schema.clone())]).into()
}

/// The tag of one tool: what its call begins with, its arguments, and what the call ends with.
fn tag(request: &Request<'_>, tools: &Tools, tool: &Tool) -> Result<Value, Error> {
    let schema = Value::from(tool.parameters.clone());
    let around = |call: &JsonCall| around_json(call, tool).map(|it| (it, json_schema(&schema)));
    let (begin, content, end) = match &tools.shape {
        CallShape::Json(call) => match around(call) {
            Some(((begin, end), content)) => (begin, content, end),
            // The arguments are not what comes last: all of the call is said by a grammar.
            None => {
                let grammar = grammar_of(request, |maker| maker.json_call(call, tool))?;
                (String::new(), grammar, String::new())
            }
        },
        CallShape::Named(call) => {
            let content = match &call.arguments {
                Arguments::Json => json_schema(&schema),
                notation => grammar_of(request, |maker| maker.arguments(notation, tool))?,
            };
            let name = match (&request.format.headers, call.name) {
                (Some(headers), NamePlace::Header) => format!(
                    "{}{}{}{}{}",
                    headers.recipient, headers.namespace, tool.name, call.suffix.text, headers.end
                ),
                _ => format!("{}{}{}{}", call.prefix, call.namespace, tool.name, call.suffix.text),
            };
            (name, content, call.close.to_string())
        }
    };
    let (list_open, list_close) = if tools.array { ("[", "]") } else { ("", "") };
    let begin = format!("{}{list_open}{}{begin}", tools.section_open, tools.call_open);
    let end = format!("{end}{}{list_close}{}", tools.call_close, tools.section_close);
    let tag = Map::from([
        ("type", Value::from("tag")),
        ("begin", begin.into()),
        ("content", content),
        ("end", end.into()),
    ]);
    Ok(tag.into())
}

/// A grammar as the content of a tag.
fn grammar_of(
    request: &Request<'_>,
    make: impl FnOnce(&mut Maker<'_>) -> Result<Expression, Error>,
) -> Result<Value, Error> {
    let mut maker = Maker::of(request);
    let expression = make(&mut maker)?;
    let root = maker.builder.rule("content", expression);
    let grammar = maker.builder.build(root)?.to_gbnf();
    Ok(Map::from([("type", Value::from("grammar")), ("grammar", grammar.into())]).into())
}

/// What stands in front of the arguments of a JSON call, and behind them.
fn around_json(call: &JsonCall, tool: &Tool) -> Option<(String, String)> {
    let name = Value::from(tool.name.as_str()).to_json();
    if call.name_is_key {
        return Some((format!("{{{name}: "), "}".to_owned()));
    }
    // Only where the arguments come last is there nothing else to be held to behind them.
    if call.order.last().is_some_and(|last| *last != call.args_field) {
        return None;
    }
    let key = |key: &str| Value::from(key).to_json();
    let inner = format!("{{{}: {name}, {}: ", key(&call.name_field), key(&call.args_field));
    match call.function_field.is_empty() {
        true => Some((inner, "}".to_owned())),
        false => Some((format!("{{{}: {inner}", key(&call.function_field)), "}}".to_owned())),
    }
}
