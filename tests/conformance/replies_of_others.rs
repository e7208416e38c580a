//! Replies that the tests of other projects read: well formed, damaged, without types, and disputed.

use prompty_core::message::tools_from_openai;
use prompty_core::value::Value as PromptValue;
use prompty_model::reply::{FinishReason, Reply, ReplyParser};
use serde_json::Value;

use crate::chat_templates::template;
use crate::frame::{Area, Case, Outcome};

pub(crate) const WELLFORMED: Area =
    Area { only: |case| case["class"] == "wellformed", ..area("replies/wellformed") };
pub(crate) const MALFORMED: Area =
    Area { only: |case| case["class"] == "malformed", ..area("replies/malformed") };
pub(crate) const UNTYPED: Area =
    Area { only: |case| case["class"] == "untyped", ..area("replies/untyped") };
pub(crate) const DISPUTED: Area =
    Area { only: |case| case["class"] == "disputed", ..area("replies/disputed") };

const fn area(name: &'static str) -> Area {
    Area { file: Some("replies/replies"), ..Area::new(name, run) }
}

/// Reads the reply whole, and in pieces of 1, 3 and 7 characters.
fn run(case: &Case<'_>) -> Outcome {
    let parser = match parser(case) {
        Ok(parser) => parser,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let text = case.json["reply"].as_str().unwrap();
    let whole = parser.parse(text);
    for length in [1, 3, 7] {
        if streamed(&parser, text, length) != whole {
            return Outcome::Failed(format!("in pieces of {length} it is read in another way"));
        }
    }
    let differences = differences(&whole, case.json);
    if differences.is_empty() {
        return Outcome::Passed;
    }
    Outcome::Failed(format!(
        "{} ({text:?}, malformed {:?})",
        differences.join("; "),
        whole.malformed()
    ))
}

fn parser(case: &Case<'_>) -> Result<ReplyParser, prompty_core::Error> {
    let format = template(case).format()?.clone();
    let begins_in_header = format.headers.is_some();
    let mut parser = ReplyParser::new(format);
    if !case.json["tools"].is_null() {
        let tools = PromptValue::from_serialize(&case.json["tools"]).unwrap();
        parser = parser.with_tools(&tools_from_openai(&tools)?);
    }
    Ok(match case.json["start"].as_str() {
        Some("reasoning") => parser.starting_in_reasoning(),
        // The reply begins with the header of a message.
        _ if begins_in_header => parser,
        _ => parser.starting_in_content(),
    })
}

fn streamed(parser: &ReplyParser, text: &str, length: usize) -> Reply {
    let mut stream = parser.stream();
    let mut reply = Reply::default();
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(length) {
        let piece: String = piece.iter().collect();
        stream.push(&piece).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}

/// What was read in another way than the case has it.
fn differences(reply: &Reply, case: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let expected = &case["expected"];
    let is_checked =
        |part: &str| !case["unspecified"].as_array().into_iter().flatten().any(|name| name == part);
    for (part, text) in [("reasoning", reply.reasoning()), ("content", reply.content())] {
        let wanted = expected[part].as_str().unwrap_or_default().trim();
        if is_checked(part) && text.trim() != wanted {
            found.push(format!("{part} is {:?}, not {wanted:?}", text.trim()));
        }
    }
    if !is_checked("tool_calls") {
        return found;
    }
    let calls: Vec<_> = reply.calls().iter().filter(|call| call.complete).collect();
    let wanted: Vec<&Value> = expected["tool_calls"].as_array().into_iter().flatten().collect();
    if calls.len() != wanted.len() {
        found.push(format!("{} calls, not {}", calls.len(), wanted.len()));
    }
    for (call, wanted) in calls.iter().zip(wanted) {
        let name = &wanted["name"];
        if !name.is_null() && *name != *call.name {
            found.push(format!("FALSE name {:?}, not {name}", call.name));
        }
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let written = &wanted["arguments"];
        if !written.is_null() && !is_same(&arguments, written) {
            let keys = |value: &Value| -> Vec<String> {
                let keys = value.as_object().into_iter().flat_map(|it| it.keys());
                keys.cloned().collect()
            };
            let is_false = if keys(&arguments) == keys(written) { "" } else { "FALSE " };
            found.push(format!("{is_false}arguments {arguments}, not {written}"));
        }
    }
    found
}

/// Whether two values are the same, with numbers compared by value.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| is_same(left, right)))
        }
        _ => left == right,
    }
}
