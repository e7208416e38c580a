//! Reads requests for responses.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, Message, ProviderPart, Role, ToolCall, ToolResult,
};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::wire::calls::provider_fields;
use crate::wire::error::WireError;
use crate::wire::options::{PromptCache, Reasoning};
use crate::wire::parse::{
    Fields, arguments, choice, content, function, has_only, output_form, text, tools, wrong,
};
use crate::wire::request::Request;

pub(in crate::wire) fn request(
    fields: &mut Fields,
    request: &mut Request<'_>,
) -> Result<(), WireError> {
    let mut messages: Vec<Message> =
        fields.text("instructions").map(Message::system).into_iter().collect();
    if let Some(text) = fields.text("input") {
        messages.push(Message::user(text));
    }
    if let Some(other) = fields.left.get("input").filter(|it| it.as_array().is_none()) {
        return Err(wrong(format!("`input` is of the kind {}", other.kind_name())));
    }
    for (index, value) in fields.list("input").iter().enumerate() {
        let map = value.as_object().ok_or_else(|| wrong("an item is no map"));
        map.and_then(|map| item(map, &mut messages)).map_err(|error| error.in_message(index))?;
    }
    request.messages = Cow::Owned(messages);
    let options = &mut request.options;
    options.max_output_tokens = fields.count("max_output_tokens");
    options.allow_multiple_tool_calls = fields.take("parallel_tool_calls", Value::as_bool);
    tools(fields, request, |tool| match text(tool, "type") {
        "function" => function(tool, "parameters"),
        _ => None,
    });
    request.tool_choice = choice(fields, |map| match text(map, "type") {
        "function" => Some(text(map, "name").to_owned()),
        _ => None,
    });
    let format =
        fields.left.get("text").and_then(|text| output_form(text.get("format")?.as_object()?));
    if let Some(format) = format {
        request.output = Some(format);
        let more = fields.take("text", |text| text.as_object().cloned()).unwrap_or_default();
        let more: Map = more
            .iter()
            .filter(|(name, _)| *name != "format")
            .map(|(k, v)| (k, v.clone()))
            .collect();
        if !more.is_empty() {
            fields.left.insert("text", more);
        }
    }
    request.reasoning = fields.take("reasoning", |reasoning| {
        let map = reasoning.as_object()?;
        let word = |name| map.get(name).and_then(Value::as_str).map(|it| Cow::Owned(it.to_owned()));
        has_only(map, &["effort", "summary"]).then(|| {
            let mut reasoning = Reasoning::default();
            (reasoning.effort, reasoning.summary) = (word("effort"), word("summary"));
            reasoning
        })
    });
    let (key, time) = (fields.text("prompt_cache_key"), fields.text("prompt_cache_retention"));
    if key.is_some() || time.is_some() {
        let mut cache = PromptCache::new();
        (cache.key, cache.time) = (key, time);
        request.prompt_cache = Some(cache);
    }
    Ok(())
}

/// Adds an item to the messages. What the model wrote without a person in between is one message, but for its
/// texts: each item of texts begins one.
fn item(map: &Map, messages: &mut Vec<Message>) -> Result<(), WireError> {
    let known = ["type", "id", "status", "call_id", "name", "arguments", "input", "output"];
    let is_call = |name: &str| known.contains(&name) || CALL_FIELDS.contains(&name);
    let is_call = || map.iter().all(|(name, value)| value.is_null() || is_call(name));
    let fields = || provider_fields(map, CALL_FIELDS);
    match text(map, "type") {
        "message" | "" => {
            let own = message(map)?;
            let is_text = |part: &ContentPart| matches!(part, ContentPart::Text(_));
            match messages.last_mut() {
                Some(last)
                    if own.role == Role::Assistant
                        && last.role == Role::Assistant
                        && !last.content.iter().any(is_text) =>
                {
                    last.content.extend(own.content);
                    last.metadata.extend(own.metadata.iter().map(|(k, v)| (k, v.clone())));
                }
                _ => messages.push(own),
            }
        }
        "function_call" if is_call() => {
            let call = ToolCall::new(
                text(map, "call_id"),
                text(map, "name"),
                arguments(map, "arguments")?,
            );
            let call = call.with_provider_fields(PROTOCOL, fields());
            wrote(messages, ContentPart::ToolCall(call));
        }
        "custom_tool_call" if is_call() => {
            let mut call =
                ToolCall::new(text(map, "call_id"), text(map, "name"), text(map, "input"));
            call.free_text = true;
            let call = call.with_provider_fields(PROTOCOL, fields());
            wrote(messages, ContentPart::ToolCall(call));
        }
        "function_call_output" | "custom_tool_call_output" if has_only(map, &known) => {
            let mut result = ToolResult::new(text(map, "call_id"), "");
            result.content = content(map.get("output"), part)?;
            messages.push(Message::from(result));
        }
        kind => {
            if kind == "reasoning" {
                let parts = map.get("summary").and_then(Value::as_array).unwrap_or_default();
                let texts =
                    parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                let texts: Vec<&str> = texts.collect();
                if !texts.is_empty() {
                    wrote(messages, ContentPart::Reasoning(texts.join("\n\n")));
                }
            }
            let value = Value::Object(map.clone());
            wrote(messages, ContentPart::Provider(ProviderPart::new(PROTOCOL, value)));
        }
    }
    Ok(())
}

/// Adds what the model wrote to its message.
fn wrote(messages: &mut Vec<Message>, part: ContentPart) {
    match messages.last_mut() {
        Some(last) if last.role == Role::Assistant => last.content.push(part),
        _ => messages.push(Message::new(Role::Assistant, part)),
    }
}

fn message(map: &Map) -> Result<Message, WireError> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(wrong("it has no `role`"));
    };
    let mut message = Message::new(Role::from(role), content(map.get("content"), part)?);
    if let Some(phase) = map.get("phase").filter(|phase| phase.as_str().is_some()) {
        message.metadata.insert("phase", phase.clone());
    }
    Ok(message)
}

fn part(value: &Value) -> Result<ContentPart, WireError> {
    let Value::Object(map) = value else { return Err(wrong("a part is no map")) };
    let name = text(map, "filename");
    let named = |media: Media| if name.is_empty() { media } else { media.with_name(name) };
    Ok(match text(map, "type") {
        "input_text" | "output_text" | "text" => ContentPart::Text(text(map, "text").to_owned()),
        "refusal" => ContentPart::Text(text(map, "refusal").to_owned()),
        "input_image" if map.get("image_url").and_then(Value::as_str).is_some() => {
            let media = Media::new(text(map, "image_url"));
            ContentPart::Image(match text(map, "detail") {
                "" => media,
                detail => media.with_detail(detail),
            })
        }
        "input_file" if map.contains_key("file_data") => {
            ContentPart::File(named(Media::new(text(map, "file_data"))))
        }
        "input_file" if map.contains_key("file_url") => {
            ContentPart::File(named(Media::new(text(map, "file_url"))))
        }
        _ => ContentPart::Provider(ProviderPart::new(PROTOCOL, value.clone())),
    })
}
