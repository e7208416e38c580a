//! Recorded responses of providers, including errors, compared with the replies that we read from
//! them.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use typed_prompty::reply::{Reply, ReplyCall};
use typed_prompty::wire::{Protocol, ProviderError, WireError, WireErrorKind};

use crate::frame::{Area, Case, Outcome};

/// The areas of the complete responses, and of the errors.
pub(crate) const AREAS: [Area; 8] = [
    responses("openai-chat", "wire/openai-chat/response"),
    errors("openai-chat", "wire/openai-chat/error"),
    responses("openai-compatible", "wire/openai-compatible/response"),
    errors("openai-compatible", "wire/openai-compatible/error"),
    responses("openai-responses", "wire/openai-responses/response"),
    errors("openai-responses", "wire/openai-responses/error"),
    responses("anthropic", "wire/anthropic/response"),
    errors("anthropic", "wire/anthropic/error"),
];

const fn responses(file: &'static str, name: &'static str) -> Area {
    Area { run: response, only: is_response, ..family(file, name) }
}

const fn errors(file: &'static str, name: &'static str) -> Area {
    Area { run: error, only: is_error, ..family(file, name) }
}

/// An area in the file of a family of providers.
pub(crate) const fn family(family: &'static str, name: &'static str) -> Area {
    // Constants cannot concatenate strings, so the files are listed.
    let file = match family.as_bytes() {
        b"openai-chat" => "wire/openai-chat",
        b"openai-compatible" => "wire/openai-compatible",
        b"openai-responses" => "wire/openai-responses",
        _ => "wire/anthropic",
    };
    Area { file: Some(file), ..Area::new(name, response) }
}

fn is_response(case: &Json) -> bool {
    case["kind"] == "response"
}

fn is_error(case: &Json) -> bool {
    case["kind"] == "error"
}

/// The protocol of a case.
pub(crate) fn protocol(case: &Json) -> Protocol {
    let id = case["id"].as_str().unwrap();
    match id {
        _ if id.starts_with("openai-chat") => Protocol::OpenAiChat,
        _ if id.starts_with("openai-compatible") => Protocol::OpenAiCompatible,
        _ if id.starts_with("openai-responses") => Protocol::OpenAiResponses,
        _ if id.starts_with("anthropic") => Protocol::AnthropicMessages,
        _ => panic!("`{id}` does not begin with a protocol"),
    }
}

fn response(case: &Case<'_>) -> Outcome {
    let body = case.json["input"].to_string();
    let reply = match protocol(case.json).read(200, body.as_bytes()) {
        Ok(reply) => reply,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    outcome(&differences(&reply, &case.json["expected"], ArgumentComparison::AsJson))
}

/// Passes if there are no differences.
pub(crate) fn outcome(differences: &[String]) -> Outcome {
    match differences.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(differences.join("; ")),
    }
}

fn error(case: &Case<'_>) -> Outcome {
    let (input, expected) = (&case.json["input"], &case.json["expected"]["error"]);
    // If no status was recorded, the body alone must show that it is an error.
    let status = case.json["status"].as_u64().map_or(200, |status| u16::try_from(status).unwrap());
    let found = match input {
        Json::Array(events) => {
            let mut stream = protocol(case.json).reader();
            events.iter().for_each(|data| {
                stream.push(data.as_str().unwrap());
            });
            stream.finish()
        }
        body => protocol(case.json).read(status, body.to_string().as_bytes()),
    };
    match found {
        Err(error) => outcome(&error_differences(&error, expected)),
        Ok(reply) => Outcome::Failed(format!("expected {expected}, got {reply:?}")),
    }
}

/// The differences between an error and the expected error.
pub(crate) fn error_differences(error: &WireError, expected: &Json) -> Vec<String> {
    if error.kind() != WireErrorKind::Provider {
        return vec![format!("expected the provider's error, got {error:?}")];
    }
    let found = error.provider().map(error_json).unwrap_or_default();
    let keys = ["message", "type", "code", "param"];
    keys.iter().filter_map(|key| difference(key, &found[key], &as_text(&expected[key]))).collect()
}

fn error_json(error: &ProviderError) -> Json {
    let ProviderError { message, kind, code, parameter, .. } = error;
    json!({"message": message, "type": kind, "code": code, "param": parameter})
}

/// Some providers write codes as numbers.
fn as_text(value: &Json) -> Json {
    match value {
        Json::Number(number) => Json::from(number.to_string()),
        other => other.clone(),
    }
}

/// How the arguments of calls are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentComparison {
    /// As strings.
    AsText,
    /// As values, if they are JSON.
    AsJson,
}

/// The differences between a reply and the expected reply.
pub(crate) fn differences(
    reply: &Reply,
    expected: &Json,
    arguments: ArgumentComparison,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut check =
        |name: &str, ours: Json, theirs: &Json| found.extend(difference(name, &ours, theirs));
    check("content", reply.content().into(), &expected["content"]);
    check("reasoning", text_or_null(reply.reasoning()), &expected["reasoning"]);
    check("refusal", reply.refusal().into(), &expected["refusal"]);
    check("finish_reason", reply.finish_word().into(), &expected["finish_reason"]);
    check("stop_sequence", reply.stop_sequence().into(), &expected["stop_sequence"]);
    check("usage", usage(reply, &expected["usage"]), &expected["usage"]);
    let items = or_empty(&expected["other_items"]);
    check("other_items", other_items(reply, items.as_array().unwrap()), &items);
    check("signatures", signatures(reply), &or_empty(&expected["signatures"]));
    found.extend(call_differences(reply, &expected["tool_calls"], arguments));
    // The first choice is the reply itself.
    let others =
        expected["choices"].as_array().map_or(&[][..], |all| all.get(1..).unwrap_or_default());
    if others.len() != reply.alternatives().len() {
        found.push(format!(
            "expected {} alternatives, got {}",
            others.len(),
            reply.alternatives().len()
        ));
    }
    for (ours, theirs) in reply.alternatives().iter().zip(others) {
        found.extend(
            differences(ours, theirs, arguments).into_iter().map(|it| format!("choice: {it}")),
        );
    }
    found
}

/// The difference between two values, shortened for people.
fn difference(name: &str, ours: &Json, theirs: &Json) -> Option<String> {
    let short = |value: &Json| value.to_string().chars().take(160).collect::<String>();
    (ours != theirs).then(|| format!("{name}: expected {}, got {}", short(theirs), short(ours)))
}

fn text_or_null(text: &str) -> Json {
    if text.is_empty() { Json::Null } else { text.into() }
}

fn or_empty(list: &Json) -> Json {
    if list.is_null() { json!([]) } else { list.clone() }
}

/// The usage under the names that the case uses.
fn usage(reply: &Reply, expected: &Json) -> Json {
    let Some(usage) = reply.usage() else { return Json::Null };
    let all = BTreeMap::from([
        ("input", usage.input),
        ("output", usage.output),
        ("total", usage.total),
        ("cached_input", usage.cached_input),
        ("cache_read", usage.cached_input),
        ("cache_creation", usage.cache_writes),
        ("reasoning", usage.reasoning),
    ]);
    let Some(expected) = expected.as_object() else { return json!(all) };
    Json::Object(expected.keys().map(|key| (key.clone(), json!(all[&**key]))).collect())
}

/// The items whose types a reply does not model, with the keys that the case lists. Reasoning is
/// also kept in the provider's form, but it is not one of these items.
fn other_items(reply: &Reply, expected: &[Json]) -> Json {
    let is_other = |kind: &str| !["thinking", "reasoning", "reasoning_details"].contains(&kind);
    let others = reply.others().iter().filter(|part| part.kind().is_none_or(is_other));
    let items = others.enumerate().map(|(index, part)| {
        let is_listed = |key: &&str| {
            *key == "type" || expected.get(index).is_some_and(|it| it.get(key).is_some())
        };
        let entries = ["type", "id", "name"].into_iter().filter(is_listed).filter_map(|key| {
            let value = part.value.get(key)?.as_str()?;
            Some((key.to_owned(), Json::from(value)))
        });
        Json::Object(entries.collect())
    });
    Json::Array(items.collect())
}

/// The signatures of reasoning.
fn signatures(reply: &Reply) -> Json {
    let thoughts = reply.others().iter().filter(|part| part.kind() == Some("thinking"));
    let signatures = thoughts.filter_map(|part| part.value.get("signature")?.as_str());
    signatures.filter(|it| !it.is_empty()).map(Json::from).collect()
}

fn call_differences(reply: &Reply, expected: &Json, arguments: ArgumentComparison) -> Vec<String> {
    let expected = expected.as_array().map_or(&[][..], Vec::as_slice);
    let calls = reply.calls();
    if calls.len() != expected.len() {
        return vec![format!("expected {} calls, got {calls:?}", expected.len())];
    }
    calls
        .iter()
        .zip(expected)
        .flat_map(|(ours, theirs)| compare_call(ours, theirs, arguments))
        .collect()
}

fn compare_call(ours: &ReplyCall, theirs: &Json, arguments: ArgumentComparison) -> Vec<String> {
    let id = theirs["id"].as_str().unwrap_or_default();
    let name = theirs["name"].as_str().unwrap_or_default();
    let text = theirs["arguments"].as_str().unwrap();
    let is_json = serde_json::from_str::<Json>(&ours.arguments).is_ok_and(|it| it.is_object());
    let mut found = Vec::new();
    if (&*ours.id, &*ours.name) != (id, name) {
        found.push(format!("call: expected {id} {name}, got {} {}", ours.id, ours.name));
    }
    if ours.free_text != (theirs["type"] == "custom") {
        found.push(format!("call {id}: free text is {}", ours.free_text));
    }
    if ours.complete && !ours.free_text && !is_json {
        found.push(format!("call {id}: complete, and its arguments are {:?}", ours.arguments));
    }
    if !ours.complete && is_json && !text.is_empty() {
        found.push(format!("call {id}: not complete, and its arguments are {:?}", ours.arguments));
    }
    let value = |text: &str| serde_json::from_str::<Json>(text).ok();
    let is_same = match arguments {
        // A complete call without arguments has the arguments `{}`.
        _ if text.is_empty() => ours.arguments == if ours.complete { "{}" } else { "" },
        _ if ours.arguments == text => true,
        ArgumentComparison::AsText => false,
        ArgumentComparison::AsJson => {
            value(text).is_some() && value(text) == value(&ours.arguments)
        }
    };
    if !is_same {
        found.push(format!("call {id}: expected {text:?}, got {:?}", ours.arguments));
    }
    found
}
