//! Builds prompts from a template and the declarations of its inputs, and compares messages.

use prompty_check::definition::Definition;
use prompty_core::message::Message;
use prompty_core::value::Map;
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};

/// The prompt of a case, with its inputs declared.
pub(crate) fn definition(case: &Case<'_>, strict: bool) -> Definition {
    let mut declared = Vec::new();
    for (name, kind) in case.given("input_kinds").as_object().into_iter().flatten() {
        declared.push(json!({"name": name, "kind": kind}));
    }
    for name in case.given("strict_inputs").as_array().into_iter().flatten() {
        declared.push(json!({"name": name, "kind": "string", "strict": true}));
    }
    let engine = case.given("engine").as_str().unwrap_or("jinja2");
    let front_matter = json!({
        "inputs": declared,
        "template": {"format": {"kind": engine, "strict": strict}, "parser": {"kind": "prompty"}},
    });
    let template = case.given("template").as_str().unwrap();
    // JSON is a subset of YAML.
    Definition::from_text(format!("---\n{front_matter}\n---\n{template}")).unwrap()
}

/// The inputs of a case.
pub(crate) fn inputs(case: &Case<'_>) -> Map {
    serde_json::from_value(case.given("inputs").clone()).unwrap()
}

/// Messages in the form of the cases, which have `content` in place of our `parts`.
pub(crate) fn messages(messages: &[Message]) -> Value {
    let mut messages = serde_json::to_value(messages).unwrap();
    for message in messages.as_array_mut().into_iter().flatten() {
        message["content"] = message["parts"].take();
    }
    messages
}

/// Passes if both values are equal. A missing key equals `null`.
pub(crate) fn equal(found: &Value, expected: &Value) -> Outcome {
    if without_nulls(found) == without_nulls(expected) {
        return Outcome::Passed;
    }
    Outcome::Failed(format!("expected {expected}, got {found}"))
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(keys) => {
            let given = keys.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        other => other.clone(),
    }
}
