//! Converts bodies of requests to one form, so that only their meaning is compared.
//! `skipped_cases.md` lists the conversions under `wire/openai-chat/request`.

use serde_json::{Map, Value as Json, json};
use typed_prompty::wire::Protocol;

/// The differences between two bodies after both are converted to one form.
pub(crate) fn differences(protocol: Protocol, theirs: &Json, ours: &Json) -> Vec<String> {
    let (mut theirs, mut ours) = (theirs.clone(), ours.clone());
    normalize(protocol, &mut theirs);
    normalize(protocol, &mut ours);
    let mut found = Vec::new();
    compare("", &theirs, &ours, &mut found);
    found
}

fn compare(path: &str, theirs: &Json, ours: &Json, found: &mut Vec<String>) {
    match (theirs, ours) {
        (Json::Object(theirs), Json::Object(ours)) => {
            let added = ours.keys().filter(|key| !theirs.contains_key(*key));
            for key in theirs.keys().chain(added) {
                let side = |map: &Map<String, Json>| map.get(key).cloned().unwrap_or_default();
                compare(&format!("{path}.{key}"), &side(theirs), &side(ours), found);
            }
        }
        (Json::Array(theirs), Json::Array(ours)) if theirs.len() == ours.len() => {
            for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
                compare(&format!("{path}[{index}]"), theirs, ours, found);
            }
        }
        (Json::Number(theirs), Json::Number(ours)) if theirs.as_f64() == ours.as_f64() => {}
        _ if theirs == ours => {}
        _ => found.push(format!("{path}: expected {theirs:.200}, got {ours:.200}")),
    }
}

fn normalize(protocol: Protocol, body: &mut Json) {
    let Json::Object(body) = body else { return };
    leave_out_defaults(body);
    rename(body, "max_completion_tokens", "max_tokens");
    for key in ["messages", "input"] {
        if let Some(turns) = body.get_mut(key) {
            if let Json::String(text) = turns {
                *turns = json!([{"role": "user", "content": text}]);
            }
            list_mut(turns).for_each(turn);
        }
    }
    if let Some(system) = body.get_mut("system") {
        content(system);
    }
    if protocol == Protocol::OpenAiResponses {
        lift_instructions(body);
    }
}

/// Removes what a provider does by default.
fn leave_out_defaults(body: &mut Map<String, Json>) {
    if body.get("tool_choice") == Some(&json!("any")) {
        body.insert("tool_choice".to_owned(), json!("required"));
    }
    let defaults = [
        ("stream", json!(false)),
        ("tools", json!([])),
        ("tool_choice", json!("auto")),
        ("tool_choice", json!({"type": "auto"})),
        // Our requests ask for the usage of streams.
        ("stream_options", json!({"include_usage": true})),
    ];
    body.retain(|key, value| {
        !value.is_null() && !defaults.iter().any(|(name, default)| key == name && value == default)
    });
}

fn rename(body: &mut Map<String, Json>, from: &str, to: &str) {
    if let Some(value) = body.remove(from) {
        body.insert(to.to_owned(), value);
    }
}

fn turn(turn: &mut Json) {
    let Json::Object(turn) = turn else { return };
    turn.retain(|_, value| !value.is_null());
    if turn.contains_key("role") {
        // Items with a role are messages without the type `message`, too.
        turn.remove("type");
        content(turn.entry("content").or_insert_with(|| json!([])));
    }
    let kind = turn.get("type").and_then(Json::as_str);
    let is_ours = kind.is_none_or(|kind| {
        ["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"]
            .contains(&kind)
    });
    if is_ours {
        // A response adds these keys to its items.
        turn.remove("id");
        turn.remove("status");
    }
    for call in turn.get_mut("tool_calls").into_iter().flat_map(list_mut) {
        if let Json::Object(call) = call {
            call.remove("index");
        }
    }
}

/// Converts a content to an array of parts. A string becomes a part of the type `text`.
fn content(content: &mut Json) {
    match content {
        Json::Null => *content = json!([]),
        Json::String(text) if text.is_empty() => *content = json!([]),
        Json::String(text) => *content = json!([{"type": "text", "text": text}]),
        _ => {}
    }
    list_mut(content).for_each(part);
}

fn part(part: &mut Json) {
    let Json::Object(part) = part else { return };
    match part.get("type").and_then(Json::as_str) {
        Some("input_text" | "output_text") => {
            part.insert("type".to_owned(), json!("text"));
            part.retain(|key, value| key != "annotations" || *value != json!([]));
        }
        Some("tool_result") => {
            part.retain(|key, value| key != "is_error" || *value != json!(false));
            content(part.entry("content").or_insert_with(|| json!([])));
        }
        _ => {}
    }
}

/// Moves the leading messages of the system and the developer to `instructions`, joined by blank
/// lines.
fn lift_instructions(body: &mut Map<String, Json>) {
    let Some(Json::Array(items)) = body.get_mut("input") else { return };
    let is_system = |item: &Json| item["role"] == "system" || item["role"] == "developer";
    let count = items.iter().take_while(|item| is_system(item)).count();
    let lifted: Vec<Json> = items.drain(..count).collect();
    let texts = lifted.iter().flat_map(|item| item["content"].as_array().into_iter().flatten());
    let own = body.remove("instructions").filter(Json::is_string);
    let all: Vec<&str> =
        own.iter().chain(texts.map(|part| &part["text"])).filter_map(Json::as_str).collect();
    if !all.is_empty() {
        body.insert("instructions".to_owned(), all.join("\n\n").into());
    }
}

fn list_mut(value: &mut Json) -> impl Iterator<Item = &mut Json> {
    value.as_array_mut().into_iter().flatten()
}
