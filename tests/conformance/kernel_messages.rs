//! Semantic Kernel's message tags: parsing rendered text to messages, and templates whose data
//! attacks them.
//!
//! The roles are compared, and the texts after decoding their entities once, without white space at
//! their ends. `kernel_rules` has the rules by which a case is skipped.

use prompty_core::Error;
use prompty_core::message::{ContentPart, Message};
use prompty_runtime::nonce::Rendered;
use prompty_runtime::parse::{OnForgedMarker, parse_message_tags};
use prompty_runtime::render::{Inputs, PipelineBuilder};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::kernel;
use crate::kernel_rules::{DifferentOutcome, rule};

/// A text that is already rendered.
pub(crate) fn messages(case: &Case<'_>) -> Outcome {
    if let Some(skipped) = kernel::skipped_python_case(case) {
        return skipped;
    }
    let text = case.json["rendered"].as_str().unwrap();
    let found = parse_message_tags(&Rendered::plain(text), OnForgedMarker::Literal);
    check_result(case, &found)
}

/// A template with inputs and functions. Data can never create a message.
pub(crate) fn template(case: &Case<'_>) -> Outcome {
    let found = prepare(case, case.json);
    let emptied = json!({
        "format": case.json["format"],
        "template": case.json["template"],
        "variables": without_texts(&case.json["variables"]),
        "functions": without_texts(&case.json["functions"]),
    });
    let without = prepare(case, &emptied);
    if !is_safe(&found, &without) {
        return Outcome::Failed(format!("data changes the messages: {found:?} and {without:?}"));
    }
    if let Some(skipped) = kernel::skipped_python_case(case) {
        return skipped;
    }
    check_result(case, &found)
}

/// Whether data changed only what it may change: the roles must be the same as without data. A
/// template that is rejected must also be rejected without data, unless the data is outside of
/// messages.
fn is_safe(found: &Result<Vec<Message>, Error>, without: &Result<Vec<Message>, Error>) -> bool {
    match (found, without) {
        (Ok(found), Ok(without)) => roles(found) == roles(without),
        (Err(found), Err(without)) => found.to_string() == without.to_string(),
        (Err(found), Ok(_)) => {
            found.to_string() == "a value that is not a thread is printed outside of messages"
        }
        (Ok(_), Err(_)) => false,
    }
}

/// The same value with empty strings. If there are threads, the strings are a word instead, since
/// an empty string between threads makes no message.
fn without_texts(value: &Value) -> Value {
    let has_threads = value
        .as_object()
        .is_some_and(|map| map.values().any(|value| !value["$chat_history"].is_null()));
    replace_texts(value, if has_threads { "word" } else { "" })
}

fn replace_texts(value: &Value, text: &str) -> Value {
    match value {
        Value::String(_) => text.into(),
        Value::Object(map) if map.contains_key("$chat_history") => value.clone(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| {
                let is_name = name == "params";
                (name.clone(), if is_name { value.clone() } else { replace_texts(value, text) })
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn roles(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.role.to_string()).collect()
}

/// The messages of a template with inputs and functions.
pub(crate) fn prepare(case: &Case<'_>, given: &Value) -> Result<Vec<Message>, Error> {
    let case = Case { json: given, folder: case.folder };
    let mut inputs = Inputs::new();
    for (name, value) in given["variables"].as_object().into_iter().flatten() {
        if let Some(history) = value["$chat_history"].as_array() {
            let role = |it: &Value| it["role"].as_str().unwrap().to_owned();
            let content = |it: &Value| it["content"].as_str().unwrap().to_owned();
            let messages =
                history.iter().map(|it| Message::new(role(it).as_str().into(), content(it)));
            inputs = inputs.with_thread(name, messages.collect::<Vec<_>>());
            continue;
        }
        let value = value.get("$bytes").unwrap_or(value);
        let value: prompty_core::value::Value = serde_json::from_value(value.clone()).unwrap();
        inputs = inputs.with(name, value);
    }
    PipelineBuilder::from_text("case", given["template"].as_str().unwrap())
        .with_format(given["format"].as_str().unwrap())
        .with_parser("message-tags")
        .with_registry(&kernel::registry(&case))
        .build()?
        .prepare(inputs)
}

/// Compares a result with the expected one, and applies the rules if they differ.
fn check_result(case: &Case<'_>, found: &Result<Vec<Message>, Error>) -> Outcome {
    let expected = &case.json["expect"];
    let is_same = match (found, expected["messages"].as_array(), expected["rendered"].as_str()) {
        (Ok(found), Some(expected), _) => same(found, expected),
        (Ok(found), None, Some(text)) if expected["expect_error"].is_null() => {
            let [message] = found.as_slice() else {
                return Outcome::Failed(format!("expected one message, got {found:?}"));
            };
            text_of(&message.text()) == text_of(text)
        }
        (Err(_), None, _) => !expected["expect_error"].is_null(),
        _ => false,
    };
    if is_same {
        return Outcome::Passed;
    }
    let error = found.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let text = case.json["rendered"].as_str().or(case.json["template"].as_str()).unwrap();
    let messages = found.as_deref().unwrap_or_default();
    match rule(&DifferentOutcome { case: case.json, text, found: messages, error: &error }) {
        Some(rule) => Outcome::Skipped(rule),
        None => Outcome::Failed(format!("expected {expected}, got {found:?}")),
    }
}

pub(crate) fn same(found: &[Message], expected: &[Value]) -> bool {
    let role = |expected: &Value| expected["role"].as_str().unwrap().to_lowercase();
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            found.role.as_str() == role(expected) && parts(found) == expected_parts(expected)
        })
}

/// The parts of a message: kind and content.
pub(crate) fn parts(message: &Message) -> Vec<(String, String)> {
    let parts = message.content.iter().map(|part| match part {
        ContentPart::Text(text) => ("text".to_owned(), text_of(text)),
        ContentPart::Image(media) => ("image".to_owned(), media.value.clone()),
        ContentPart::Audio(media) => ("audio".to_owned(), media.value.clone()),
        ContentPart::File(media) => ("binary".to_owned(), media.value.clone()),
        other => panic!("{other:?}"),
    });
    parts.filter(|(_, content)| !content.is_empty()).collect()
}

pub(crate) fn expected_parts(expected: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| text_of(value.as_str().unwrap_or_default());
    let Some(items) = expected["items"].as_array() else {
        let content = text(&expected["content"]);
        return Vec::from_iter((!content.is_empty()).then(|| ("text".to_owned(), content)));
    };
    let item = |item: &Value| {
        let kind = item["type"].as_str().unwrap().to_owned();
        let url = ["uri", "data_uri"].iter().find_map(|name| item[*name].as_str());
        (kind, url.map_or_else(|| text(&item["text"]), str::to_owned))
    };
    items.iter().map(item).collect()
}

/// A text in the form that is compared. Upstream rewrites markup with other quotation marks.
pub(crate) fn text_of(text: &str) -> String {
    kernel::decode_entities(text).trim().replace('\'', "\"").replace(" />", "/>")
}
