//! Recorded requests that providers accepted. We read each one and write it again, and both
//! must mean the same.

use serde_json::{Map, Value as Json, json};
use typed_prompty::wire::{Protocol, Request, WireErrorKind};
use typed_prompty::{Error, Value};

use crate::frame::{Area, Case, Outcome, Rule};
use crate::wire::{family, outcome, protocol};
use crate::wire_forms;

const OTHER_FORM: Rule = Rule::named("the same in another form");

/// The areas of the requests.
pub(crate) const AREAS: [Area; 4] = [
    area("openai-chat", "wire/openai-chat/request"),
    area("openai-compatible", "wire/openai-compatible/request"),
    area("openai-responses", "wire/openai-responses/request"),
    area("anthropic", "wire/anthropic/request"),
];

const fn area(file: &'static str, name: &'static str) -> Area {
    Area { run, only: is_request, ..family(file, name) }
}

fn is_request(case: &Json) -> bool {
    case["kind"] == "request"
}

fn run(case: &Case<'_>) -> Outcome {
    let (protocol, input) = (protocol(case.json), &case.json["input"]);
    let expected = &case.json["expected"];
    if let Err(why) = same(&summary(protocol, input), expected) {
        return Outcome::Failed(format!("the case's own input: {why}"));
    }
    let ours = match rewrite(protocol, input) {
        Ok(ours) => ours,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    // The complete bodies are compared, too: texts, arguments, schemas and options.
    let differing = wire_forms::differences(protocol, input, &ours);
    match same(&summary(protocol, &ours), expected) {
        _ if !differing.is_empty() => outcome(&differing),
        Ok(()) => Outcome::Passed,
        Err(_) => Outcome::PassedBy(OTHER_FORM),
    }
}

/// Reads a body, and writes it again.
fn rewrite(protocol: Protocol, body: &Json) -> Result<Json, Error> {
    let request = Request::from_value(protocol, &Value::from_serialize(body)?)?;
    let (value, text) = (request.to_value()?, request.to_json()?);
    let ours: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), ours, "the value and the text differ");
    PROTOCOLS
        .into_iter()
        .try_for_each(|other| check_protocol(&request.clone().with_protocol(other)))?;
    Ok(ours)
}

const PROTOCOLS: [Protocol; 4] = [
    Protocol::OpenAiChat,
    Protocol::OpenAiCompatible,
    Protocol::OpenAiResponses,
    Protocol::AnthropicMessages,
];

/// Checks that a request in any protocol gives a body that can be read, or an error with a help
/// text.
fn check_protocol(request: &Request<'_>) -> Result<(), Error> {
    match request.to_value() {
        Ok(body) => Ok(Request::from_value(request.protocol(), &body).map(drop)?),
        Err(error) if error.kind() == WireErrorKind::Unsupported && error.help().is_some() => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

fn same(found: &Json, expected: &Json) -> Result<(), String> {
    let (Json::Object(found), Json::Object(expected)) = (found, expected) else {
        return Err("expected two objects".to_owned());
    };
    let mut keys: Vec<&String> = found.keys().chain(expected.keys()).collect();
    keys.sort();
    keys.dedup();
    let differing = keys.into_iter().filter(|key| found.get(*key) != expected.get(*key));
    let differences: Vec<String> = differing
        .map(|key| {
            let side = |map: &Map<String, Json>| {
                map.get(key).map_or("nothing".to_owned(), Json::to_string)
            };
            format!("{key}: expected {}, got {}", side(expected), side(found))
        })
        .collect();
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}

/// The summary of a body that the cases contain.
fn summary(protocol: Protocol, body: &Json) -> Json {
    let mut summary = Map::new();
    summary.insert("model".to_owned(), body["model"].clone());
    summary.insert("stream".to_owned(), (body["stream"] == true).into());
    summary.insert("turns".to_owned(), turns(protocol, body));
    summary.insert("tools".to_owned(), list(&body["tools"]).iter().map(tool_name).collect());
    let (format, reasoning, limit, system) = match protocol {
        Protocol::OpenAiResponses => (
            &body["text"]["format"]["type"],
            body["reasoning"].clone(),
            &body["max_output_tokens"],
            ("instructions", if body["instructions"].is_null() { Json::Null } else { true.into() }),
        ),
        Protocol::AnthropicMessages => (
            &body["output_config"]["format"]["type"],
            body["thinking"].clone(),
            &body["max_tokens"],
            ("system", parts(&body["system"])),
        ),
        _ => {
            let effort = &body["reasoning_effort"];
            let effort = if effort.is_null() { Json::Null } else { json!({"effort": effort}) };
            let limits = [&body["max_tokens"], &body["max_completion_tokens"]];
            let limit = limits.into_iter().find(|it| !it.is_null()).unwrap_or(&Json::Null);
            let asked = [&body["reasoning"], &body["thinking"], &effort];
            let asked = asked.into_iter().find(|it| !it.is_null()).cloned().unwrap_or_default();
            (&body["response_format"]["type"], asked, limit, ("system", json!([])))
        }
    };
    let entries = [
        ("tool_choice", body["tool_choice"].clone()),
        ("response_format", format.clone()),
        ("reasoning", reasoning),
        ("max_tokens", limit.clone()),
        system,
    ];
    let given = entries.into_iter().filter(|(_, value)| !value.is_null() && *value != json!([]));
    summary.extend(given.map(|(key, value)| (key.to_owned(), value)));
    Json::Object(summary)
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The name of a tool, or the type of a tool that the provider runs.
fn tool_name(tool: &Json) -> Json {
    let names = [&tool["function"]["name"], &tool["name"], &tool["type"]];
    names.into_iter().find(|it| it.is_string()).cloned().unwrap_or_default()
}

fn turns(protocol: Protocol, body: &Json) -> Json {
    match (protocol, &body["input"]) {
        (Protocol::OpenAiResponses, Json::String(_)) => {
            json!([{"role": "user", "parts": ["text"]}])
        }
        (Protocol::OpenAiResponses, items) => list(items).iter().map(item).collect(),
        _ => list(&body["messages"]).iter().map(message).collect(),
    }
}

fn message(message: &Json) -> Json {
    let mut turn = json!({"role": message["role"], "parts": parts(&message["content"])});
    let calls = list(&message["tool_calls"]);
    if !calls.is_empty() {
        turn["tool_calls"] = calls.iter().map(tool_name).collect();
    }
    if let Some(id) = message["tool_call_id"].as_str() {
        turn["tool_call_id"] = id.into();
    }
    turn
}

fn item(item: &Json) -> Json {
    if item["role"].is_string() {
        return json!({"role": item["role"], "parts": parts(&item["content"])});
    }
    let mut turn = json!({"item": item["type"]});
    for key in ["call_id", "name"] {
        if let Some(value) = item[key].as_str() {
            turn[key] = value.into();
        }
    }
    turn
}

/// The types of the parts of a content.
fn parts(content: &Json) -> Json {
    match content {
        Json::String(_) => json!(["text"]),
        parts => list(parts).iter().map(|part| part["type"].clone()).collect(),
    }
}
