//! Recorded responses sent back: a reply becomes the assistant's message of the next request. The
//! request must contain what the provider sent.

use serde_json::{Value as Json, json};
use typed_prompty::Message;
use typed_prompty::reply::{Reply, ReplyCall};
use typed_prompty::wire::{Protocol, Request};

use crate::frame::{Area, Case, Outcome};
use crate::wire::{family, outcome, protocol};
use crate::wire_forms;

/// The areas of the complete responses that are sent back.
pub(crate) const AREAS: [Area; 4] = [
    area("openai-chat", "wire/openai-chat/response, sent back"),
    area("openai-compatible", "wire/openai-compatible/response, sent back"),
    area("openai-responses", "wire/openai-responses/response, sent back"),
    area("anthropic", "wire/anthropic/response, sent back"),
];

const fn area(file: &'static str, name: &'static str) -> Area {
    Area { run, only: is_response, ..family(file, name) }
}

fn is_response(case: &Json) -> bool {
    case["kind"] == "response"
}

fn run(case: &Case<'_>) -> Outcome {
    let (protocol, answer) = (protocol(case.json), &case.json["input"]);
    let reply = match protocol.read(200, answer.to_string().as_bytes()) {
        Ok(reply) => reply,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let messages = [vec![Message::user("?")], reply.to_messages()].concat();
    let mut request = Request::new("model", &messages).with_protocol(protocol);
    // Only some providers accept reasoning, under their own name for it, so the request names it.
    let message = &answer["choices"][0]["message"];
    let names = ["reasoning_content", "reasoning", "reasoning_text"];
    if let Some(name) = names.into_iter().find(|name| message[name].is_string()) {
        request = request.with_reasoning_field(name);
    }
    let body = match request.to_value() {
        Ok(body) => serde_json::to_value(body).unwrap(),
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let (mut theirs, mut ours) = turns(protocol, answer, &body);
    for body in [&mut theirs, &mut ours] {
        without_notes(body, &reply);
    }
    outcome(&wire_forms::differences(protocol, &theirs, &ours))
}

/// Removes a provider's notes on a response, and converts the rest to one form. `skipped_cases.md`
/// lists what is not sent back under `wire/openai-chat/response, sent back`.
fn without_notes(body: &mut Json, reply: &Reply) {
    let turns = ["messages", "input"].into_iter().find_map(|key| body[key].as_array().cloned());
    let mut turns = turns.unwrap_or_default();
    for turn in turns.iter_mut().filter_map(Json::as_object_mut) {
        for note in ["annotations", "padding", "audio", "function_call", "reasoning_text"] {
            turn.remove(note);
        }
        if turn.contains_key("reasoning_content") {
            turn.remove("reasoning");
        }
        // A refusal is a text of the assistant.
        if let Some(Json::String(refusal)) = turn.remove("refusal") {
            turn.insert("content".to_owned(), refusal.into());
        }
        let calls = turn.get_mut("tool_calls").and_then(Json::as_array_mut);
        let is_sent = |call: &Json| {
            let of_call = |it: &&ReplyCall| Some(&*it.id) == call["id"].as_str();
            reply.calls().iter().find(of_call).is_none_or(|call| call.complete)
        };
        if let Some(calls) = calls {
            calls.retain(is_sent);
            calls.iter_mut().for_each(|call| call["type"] = "function".into());
        }
        if turn.get("tool_calls") == Some(&json!([])) {
            turn.remove("tool_calls");
        }
        if let Some(Json::Array(parts)) = turn.get_mut("content") {
            *parts = join_parts(parts);
        }
    }
    // Empty messages do not count.
    turns.retain(|turn| {
        let is_empty = [json!(null), json!(""), json!([])].contains(&turn["content"]);
        let names = ["tool_calls", "reasoning_content", "reasoning", "reasoning_details"];
        let has_more = names.iter().any(|name| turn.get(name).is_some_and(|it| !it.is_null()));
        turn["role"].is_null() || !is_empty || has_more
    });
    *body = json!({"messages": turns});
}

/// Removes the notes on parts and the parts without text, and joins adjacent texts.
fn join_parts(parts: &[Json]) -> Vec<Json> {
    let mut all: Vec<Json> = Vec::new();
    // Mistral's thoughts between texts are reasoning, which is sent back only if the request names
    // it.
    let is_sent = |part: &&Json| part["text"] != "" && !part["thinking"].is_array();
    for part in parts.iter().filter(is_sent) {
        let mut part = part.clone();
        if let Json::Object(part) = &mut part {
            part.retain(|key, _| !["annotations", "citations", "logprobs"].contains(&&**key));
            part.retain(|key, value| key != "caller" || *value != json!({"type": "direct"}));
        }
        match (all.last_mut(), part["text"].as_str()) {
            (Some(last), Some(text)) if last["type"] == part["type"] => {
                last["text"] =
                    format!("{}{text}", last["text"].as_str().unwrap_or_default()).into();
            }
            _ => all.push(part),
        }
    }
    all
}

/// The message of the provider, and the messages that we send back after the question, as bodies of
/// requests.
fn turns(protocol: Protocol, answer: &Json, body: &Json) -> (Json, Json) {
    let after_question =
        |name: &str| body[name].as_array().and_then(|all| all.get(1..)).unwrap_or_default();
    match protocol {
        Protocol::OpenAiResponses => {
            (json!({"input": answer["output"]}), json!({"input": after_question("input")}))
        }
        Protocol::AnthropicMessages => {
            let sent = json!({"role": "assistant", "content": answer["content"]});
            (json!({"messages": [sent]}), json!({"messages": after_question("messages")}))
        }
        _ => {
            let sent = answer["choices"][0]["message"].clone();
            (json!({"messages": [sent]}), json!({"messages": after_question("messages")}))
        }
    }
}
