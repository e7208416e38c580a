//! Semantic Kernel's message tags: rendered text to messages, and templates with data that attacks them.
//!
//! Cases are compared by their meaning: the roles, and the texts after one decoding of entities, without
//! white space at their ends. The rules by which a case is set aside are in DESIGN.md.

use prompty_core::Error;
use prompty_core::message::{ContentPart, Message};
use prompty_runtime::nonce::Rendered;
use prompty_runtime::parse::{OnForgedMarker, parse_message_tags};
use prompty_runtime::render::{Inputs, PipelineBuilder};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::kernel;

const TRUST: &str = "trust flags are not needed";
const FALLBACK: &str = "nothing falls back to one message of the user";
const UNSAFE: &str = "what is unsafe upstream comes out safe";
const REFUSED: &str = "text outside of messages and a message without a role are refused";
const LOST: &str = "no text of a message is lost";
const XML: &str = "CDATA and comments are read as XML reads them";
const AUTHOR: &str = "tags and roles are the author's to write";
const ENCODED: &str = "a template sees values as they are, of any type";
const HELPERS: &str = "filters and functions that prompts do not have";
const MISSING: &str = "an attribute that a value does not have prints nothing";
const AMBIENT: &str = "a function sees its own arguments, except in Semantic Kernel's language";

/// A text that is rendered already.
pub(crate) fn messages(case: &Case<'_>) -> Outcome {
    if let Some(aside) = kernel::set_aside(case) {
        return aside;
    }
    let text = case.json["rendered"].as_str().unwrap();
    let found = parse_message_tags(&Rendered::plain(text), OnForgedMarker::Literal);
    judge(case, &found)
}

/// A template with inputs and functions. Whatever the data is, it makes no message.
pub(crate) fn template(case: &Case<'_>) -> Outcome {
    let found = prepare(case, case.json);
    let emptied = json!({
        "format": case.json["format"],
        "template": case.json["template"],
        "variables": emptied(&case.json["variables"]),
        "functions": emptied(&case.json["functions"]),
    });
    if let (Ok(found), Ok(without)) = (&found, prepare(case, &emptied))
        && roles(found) != roles(&without)
    {
        return Outcome::Failed(format!("data makes messages: {found:?} and {without:?}"));
    }
    if let Some(aside) = kernel::set_aside(case) {
        return aside;
    }
    judge(case, &found)
}

/// The same with empty texts. Between threads an empty text makes no message, so there it is a word.
fn emptied(value: &Value) -> Value {
    let has_threads = value
        .as_object()
        .is_some_and(|map| map.values().any(|value| !value["$chat_history"].is_null()));
    with_texts(value, if has_threads { "word" } else { "" })
}

fn with_texts(value: &Value, text: &str) -> Value {
    match value {
        Value::String(_) => text.into(),
        Value::Object(map) if map.contains_key("$chat_history") => value.clone(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| {
                let is_name = name == "params";
                (name.clone(), if is_name { value.clone() } else { with_texts(value, text) })
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
        .format(given["format"].as_str().unwrap())
        .parser("message-tags")
        .registry(&kernel::registry(&case))
        .build()?
        .prepare(inputs)
}

/// Judges what was found by the case, and by the rules.
fn judge(case: &Case<'_>, found: &Result<Vec<Message>, Error>) -> Outcome {
    let expected = &case.json["expect"];
    let is_same = match (found, expected["messages"].as_array(), expected["rendered"].as_str()) {
        (Ok(found), Some(expected), _) => same(found, expected),
        (Ok(found), None, Some(text)) if expected["expect_error"].is_null() => {
            let [message] = found.as_slice() else {
                return Outcome::Failed(format!("no text: {found:?}"));
            };
            text_of(&message.text()) == text_of(text)
        }
        (Err(_), None, _) => !expected["expect_error"].is_null(),
        _ => false,
    };
    if is_same {
        return Outcome::Passed;
    }
    match rule(case, found) {
        Some(rule) => Outcome::SetAside(rule),
        None => Outcome::Failed(format!("expected {expected}, got {found:?}")),
    }
}

/// The rule by which another outcome is right.
fn rule(case: &Case<'_>, found: &Result<Vec<Message>, Error>) -> Option<&'static str> {
    let expected = &case.json["expect"];
    let has_tag = |tag: &str| {
        let tags = case.json["tags"].as_array();
        tags.is_some_and(|tags| tags.iter().any(|it| it == tag))
    };
    let is_set = |flag: &Value| flag == true;
    let flags = case.json["allow_dangerously_set_content"].as_object();
    let variables = case.json["input_variables"].as_array();
    let trusts = flags.is_some_and(|flags| flags.values().any(is_set))
        || variables
            .is_some_and(|all| all.iter().any(|it| is_set(&it["allow_dangerously_set_content"])));
    if trusts {
        return Some(TRUST);
    }
    if has_tag("hole") || has_tag("role-collapse") {
        return Some(UNSAFE);
    }
    if expected["fell_back_to_user_message"] == true {
        return Some(FALLBACK);
    }
    let error = found.as_ref().err().map(ToString::to_string).unwrap_or_default();
    if ["text outside of messages", "a message without a role"].iter().any(|it| error.contains(it))
    {
        return Some(REFUSED);
    }
    let template = case.json["template"].as_str().unwrap_or_default();
    if error.contains("a role that is computed") || template.contains("<{{") {
        return Some(AUTHOR);
    }
    if ["get is unknown", "filter safe is unknown", "filter e is unknown"]
        .iter()
        .any(|it| error.contains(it))
    {
        return Some(HELPERS);
    }
    if found.is_ok() && template.contains(".__class__") {
        return Some(MISSING);
    }
    let takes_more = case.json["functions"].as_object().is_some_and(|all| {
        all.values().any(|it| it["params"].as_array().is_some_and(|names| !names.is_empty()))
    });
    if case.json["format"] == "jinja2" && takes_more && template.contains("()") {
        return Some(AMBIENT);
    }
    let is_python = case.json["dialect"] == "python";
    let refuses_type = expected["expect_error"]["type"] == "NotImplementedError";
    if found.is_ok() && (refuses_type || is_python && has_tag("entity")) {
        return Some(ENCODED);
    }
    let found = found.as_ref().ok()?;
    let expected = expected["messages"].as_array()?;
    if kept_markers(found, expected) {
        return Some(XML);
    }
    keeps_more(found, expected).then_some(LOST)
}

/// Whether messages mean the same as those that a case expects.
pub(crate) fn same(found: &[Message], expected: &[Value]) -> bool {
    let role = |expected: &Value| expected["role"].as_str().unwrap().to_lowercase();
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            found.role.as_str() == role(expected) && parts(found) == expected_parts(expected)
        })
}

/// The parts of a message: kind and content.
fn parts(message: &Message) -> Vec<(String, String)> {
    let parts = message.content.iter().map(|part| match part {
        ContentPart::Text(text) => ("text".to_owned(), text_of(text)),
        ContentPart::Image(media) => ("image".to_owned(), media.value.clone()),
        ContentPart::Audio(media) => ("audio".to_owned(), media.value.clone()),
        ContentPart::File(media) => ("binary".to_owned(), media.value.clone()),
        other => panic!("{other:?}"),
    });
    parts.filter(|(_, content)| !content.is_empty()).collect()
}

fn expected_parts(expected: &Value) -> Vec<(String, String)> {
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

/// A text as it is compared. Upstream writes markup anew, with other quotation marks.
fn text_of(text: &str) -> String {
    kernel::decoded(text).trim().replace('\'', "\"").replace(" />", "/>")
}

/// Whether the texts differ by the marks of comments and CDATA alone, which .NET keeps.
fn kept_markers(found: &[Message], expected: &[Value]) -> bool {
    let without = |expected: &Value| {
        let mut text = expected["content"].as_str().unwrap_or_default().to_owned();
        text = text.replace("<![CDATA[", "").replace("]]>", "");
        while let Some((before, behind)) = text.split_once("<!--") {
            let behind = behind.split_once("-->").map_or("", |(_, behind)| behind);
            text = format!("{before}{behind}");
        }
        text_of(&text)
    };
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            expected["items"].is_null() && text_of(&found.text()) == without(expected)
        })
}

/// Whether the messages have all that is expected, and texts or files beside it.
fn keeps_more(found: &[Message], expected: &[Value]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            let (found, expected) = (parts(found), expected_parts(expected));
            let mut wanted = expected.iter().peekable();
            let more = found.iter().filter(|part| wanted.next_if(|it| it == part).is_none());
            let only_more = more.count() == found.len() - expected.len().min(found.len());
            only_more && wanted.peek().is_none()
        })
}
