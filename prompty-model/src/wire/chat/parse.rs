//! Reads requests for chat completions.

use std::borrow::Cow;

use prompty_core::message::{ContentPart, Message, ProviderPart, Role, ToolCall, ToolResult};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::wire::calls::provider_fields;
use crate::wire::error::WireError;
use crate::wire::options::{PromptCache, Reasoning};
use crate::wire::parse::{
    Fields, arguments, choice, content, function, has_only, output_form, required_list, text,
    tools, wrong,
};
use crate::wire::request::Request;

/// The names under which servers have reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// The types of parts that all protocols have.
const KNOWN_PARTS: [&str; 5] = ["text", "image_url", "input_audio", "file", "refusal"];

pub(in crate::wire) fn request(
    fields: &mut Fields,
    request: &mut Request<'_>,
) -> Result<(), WireError> {
    let mut messages = Vec::new();
    for (index, value) in required_list(fields, "messages")?.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| wrong("a message is no map"));
        let message = map.and_then(|map| message(map, request));
        messages.push(message.map_err(|error| error.in_message(index))?);
    }
    request.messages = Cow::Owned(messages);
    let options = &mut request.options;
    let limit = fields.count("max_completion_tokens");
    options.max_output_tokens = limit.or_else(|| fields.count("max_tokens"));
    options.frequency_penalty = fields.number("frequency_penalty");
    options.presence_penalty = fields.number("presence_penalty");
    options.seed = fields.take("seed", |seed| i64::try_from(seed.as_integer()?).ok());
    options.stop_sequences = fields.take("stop", stops).unwrap_or_default();
    options.allow_multiple_tool_calls = fields.take("parallel_tool_calls", Value::as_bool);
    tools(fields, request, |tool| match text(tool, "type") {
        "function" if has_only(tool, &["type", "function"]) => {
            function(tool.get("function")?.as_object()?, "parameters")
        }
        _ => None,
    });
    request.tool_choice = choice(fields, |map| {
        let function = map.get("function").and_then(Value::as_object)?;
        Some(function.get("name")?.as_str()?.to_owned())
    });
    request.output = fields.take("response_format", |format| output_form(format.as_object()?));
    request.reasoning = fields.text("reasoning_effort").map(Reasoning::effort);
    let key = fields.text("prompt_cache_key");
    let time = fields.text("prompt_cache_retention");
    if key.is_some() || time.is_some() {
        let mut cache = PromptCache::new();
        (cache.key, cache.time) = (key, time);
        request.prompt_cache = Some(cache);
    }
    let usual = Value::Object(Map::from([("include_usage", true)]));
    if request.is_streaming {
        fields.take("stream_options", |options| (*options == usual).then_some(()));
    }
    Ok(())
}

/// One text, or a list of them.
fn stops(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.to_string()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn message(map: &Map, request: &mut Request<'_>) -> Result<Message, WireError> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(wrong("it has no `role`"));
    };
    let role = Role::from(role);
    let mut parts = Vec::new();
    for name in REASONING {
        if let Some(reasoning) = map.get(name).and_then(Value::as_str) {
            request.reasoning_field.get_or_insert(Cow::Borrowed(name));
            if !reasoning.is_empty() && parts.is_empty() {
                parts.push(ContentPart::Reasoning(reasoning.to_owned()));
            }
        }
    }
    if let Some(details) = map.get("reasoning_details").filter(|it| it.as_array().is_some()) {
        let kind = ("type", Value::from("reasoning_details"));
        let value = Map::from([kind, ("reasoning_details", details.clone())]);
        parts.push(ContentPart::Provider(ProviderPart::new(PROTOCOL, value)));
    }
    let content = content(map.get("content"), part)?;
    if role == Role::Tool {
        let mut result =
            ToolResult::new(text(map, "tool_call_id"), "").with_name(text(map, "name"));
        result.content = content;
        return Ok(Message::from(result));
    }
    parts.extend(content);
    let refusal = text(map, "refusal");
    if !refusal.is_empty() {
        parts.push(ContentPart::Text(refusal.to_owned()));
    }
    for call in map.get("tool_calls").and_then(Value::as_array).unwrap_or_default() {
        parts.push(ContentPart::ToolCall(tool_call(call)?));
    }
    let own = ["role", "content", "tool_calls", "tool_call_id", "reasoning_details", "refusal"];
    let metadata = map.iter().filter(|(name, _)| !own.contains(name) && !REASONING.contains(name));
    let mut message = Message::new(role, parts);
    message.metadata = metadata.map(|(name, value)| (name, value.clone())).collect();
    Ok(message)
}

fn part(value: &Value) -> Result<ContentPart, WireError> {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let of_provider = || ContentPart::Provider(ProviderPart::new(PROTOCOL, value.clone()));
    if !KNOWN_PARTS.contains(&kind) {
        return Ok(of_provider());
    }
    if kind == "refusal" {
        return Ok(ContentPart::Text(
            value.get("refusal").and_then(Value::as_str).unwrap_or_default().to_owned(),
        ));
    }
    // A file by the provider's own id, for instance, is understood by no other.
    Ok(ContentPart::from_value(value).unwrap_or_else(|_| of_provider()))
}

fn tool_call(value: &Value) -> Result<ToolCall, WireError> {
    let Value::Object(map) = value else { return Err(wrong("a call is no map")) };
    let id = text(map, "id");
    let call = match (map.get("custom"), map.get("function")) {
        (Some(Value::Object(custom)), _) => {
            let mut call = ToolCall::new(id, text(custom, "name"), text(custom, "input"));
            call.free_text = true;
            call
        }
        (_, Some(Value::Object(function))) => {
            ToolCall::new(id, text(function, "name"), arguments(function, "arguments")?)
        }
        _ => return Err(wrong("a call has no `function`")),
    };
    Ok(call.with_provider_fields(PROTOCOL, provider_fields(map, CALL_FIELDS)))
}
