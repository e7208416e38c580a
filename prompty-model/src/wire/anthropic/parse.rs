//! Reads requests for Anthropic's messages.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, Message, ProviderPart, Role, ToolCall, ToolChoice, ToolResult,
};
use prompty_core::value::internal::json::{JsonStyle, to_string};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::wire::calls::provider_fields;
use crate::wire::error::WireError;
use crate::wire::options::{PromptCache, Reasoning};
use crate::wire::parse::{
    Fields, function, has_only, output_form, required_list, text, tools, wrong,
};
use crate::wire::request::Request;

pub(in crate::wire) fn request(
    fields: &mut Fields,
    request: &mut Request<'_>,
) -> Result<(), WireError> {
    let mut messages = system(fields)?;
    for (index, value) in required_list(fields, "messages")?.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| wrong("a message is no map"));
        let message = map.and_then(message).map_err(|error| error.in_message(index))?;
        request.keeps_system |= message.role == Role::System;
        messages.push(message);
    }
    request.messages = Cow::Owned(messages);
    let options = &mut request.options;
    options.max_output_tokens = fields.count("max_tokens");
    options.top_k = fields.count("top_k");
    let stops = fields.list("stop_sequences");
    options.stop_sequences = stops.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    tools(fields, request, |tool| match text(tool, "type") {
        "" | "custom" => function(tool, "input_schema"),
        _ => None,
    });
    choice(fields, request);
    reasoning(fields, request);
    request.prompt_cache = fields.take("cache_control", |control| {
        let control = control.as_object()?;
        let is_usual = has_only(control, &["type", "ttl"]) && text(control, "type") == "ephemeral";
        let time = control.get("ttl").and_then(Value::as_str).map(str::to_owned);
        is_usual.then(|| match time {
            Some(time) => PromptCache::new().with_time(time),
            None => PromptCache::new(),
        })
    });
    Ok(())
}

/// The system's texts, each as a message.
fn system(fields: &mut Fields) -> Result<Vec<Message>, WireError> {
    if let Some(text) = fields.text("system") {
        return Ok(vec![Message::system(text)]);
    }
    let blocks = fields.list("system");
    let mut messages = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let mut message = Message::new(Role::System, parts(block)?);
        keep_cache_control(&mut message, std::slice::from_ref(block));
        messages.push(message);
    }
    Ok(messages)
}

fn choice(fields: &mut Fields, request: &mut Request<'_>) {
    let read = |value: &Value| {
        let map = value.as_object()?;
        if !has_only(map, &["type", "name", "disable_parallel_tool_use"]) {
            return None;
        }
        let choice = match text(map, "type") {
            "auto" => ToolChoice::Auto,
            "any" => ToolChoice::Required,
            "none" => ToolChoice::None,
            "tool" => ToolChoice::Tool(text(map, "name").to_owned()),
            _ => return None,
        };
        Some((choice, map.get("disable_parallel_tool_use").and_then(Value::as_bool)))
    };
    if let Some((choice, is_single)) = fields.take("tool_choice", read) {
        request.tool_choice = choice;
        request.options.allow_multiple_tool_calls = is_single.map(|is_single| !is_single);
    }
}

fn reasoning(fields: &mut Fields, request: &mut Request<'_>) {
    let thinking = fields.take("thinking", |value| {
        let map = value.as_object()?;
        let budget = map.get("budget_tokens").and_then(Value::as_integer);
        match (text(map, "type"), budget) {
            ("enabled", Some(budget)) if has_only(map, &["type", "budget_tokens"]) => {
                Some(Reasoning::budget(u64::try_from(budget).ok()?))
            }
            ("adaptive", None) if has_only(map, &["type"]) => Some(Reasoning::on()),
            ("disabled", None) if has_only(map, &["type"]) => Some(Reasoning::off()),
            _ => None,
        }
    });
    let config = fields.take("output_config", |value| {
        let map = value.as_object()?;
        has_only(map, &["format", "effort"]).then(|| map.clone())
    });
    request.reasoning = thinking;
    if let Some(config) = config {
        request.output = config.get("format").and_then(|it| output_form(it.as_object()?));
        if let Some(effort) = config.get("effort").and_then(Value::as_str) {
            let reasoning = request.reasoning.get_or_insert_default();
            reasoning.effort = Some(Cow::Owned(effort.to_owned()));
        }
    }
}

fn message(map: &Map) -> Result<Message, WireError> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(wrong("it has no `role`"));
    };
    let (own, blocks) = match map.get("content") {
        Some(Value::String(text)) => (vec![ContentPart::Text(text.to_string())], &[][..]),
        Some(Value::Array(blocks)) => {
            let mut own = Vec::with_capacity(blocks.len());
            for block in blocks.iter() {
                own.extend(parts(block)?);
            }
            (own, blocks.as_slice())
        }
        _ => return Err(wrong("its `content` is neither a text nor a list")),
    };
    let is_result = |part: &ContentPart| matches!(part, ContentPart::ToolResult(_));
    let role = match Role::from(role) {
        Role::User if !own.is_empty() && own.iter().all(is_result) => Role::Tool,
        role => role,
    };
    let mut message = Message::new(role, own);
    keep_cache_control(&mut message, blocks);
    Ok(message)
}

/// Notes that the provider keeps the prompt up to the end of a message.
fn keep_cache_control(message: &mut Message, blocks: &[Value]) {
    if let Some(control) = blocks.last().and_then(|block| block.get("cache_control")) {
        message.metadata.insert("cache_control", control.clone());
    }
}

/// The parts that a block is: reasoning is one for people, and one for the provider.
fn parts(block: &Value) -> Result<Vec<ContentPart>, WireError> {
    let Value::Object(map) = block else { return Err(wrong("a block is no map")) };
    let part = match text(map, "type") {
        "text" => ContentPart::Text(text(map, "text").to_owned()),
        "tool_use"
            if has_only(map, &["type", "id", "name", "input", "caller", "cache_control"]) =>
        {
            let input = map.get("input").map(|input| to_string(input, JsonStyle::COMPACT));
            let arguments = input.unwrap_or_else(|| "{}".to_owned());
            let call = ToolCall::new(text(map, "id"), text(map, "name"), arguments);
            let fields = provider_fields(map, CALL_FIELDS);
            ContentPart::ToolCall(call.with_provider_fields(PROTOCOL, fields))
        }
        "tool_result" => ContentPart::ToolResult(result(map)?),
        "thinking" => {
            let provider = ContentPart::Provider(ProviderPart::new(PROTOCOL, block.clone()));
            return Ok(vec![ContentPart::Reasoning(text(map, "thinking").to_owned()), provider]);
        }
        "image" if has_only(map, &["type", "source", "cache_control"]) => {
            match map.get("source").and_then(media) {
                Some(media) => ContentPart::Image(media),
                None => ContentPart::Provider(ProviderPart::new(PROTOCOL, block.clone())),
            }
        }
        "document" if has_only(map, &["type", "source", "title", "cache_control"]) => {
            match map.get("source").and_then(media) {
                Some(media) => ContentPart::File(match text(map, "title") {
                    "" => media,
                    title => media.with_name(title),
                }),
                None => ContentPart::Provider(ProviderPart::new(PROTOCOL, block.clone())),
            }
        }
        _ => ContentPart::Provider(ProviderPart::new(PROTOCOL, block.clone())),
    };
    Ok(vec![part])
}

fn result(map: &Map) -> Result<ToolResult, WireError> {
    let mut result = ToolResult::new(text(map, "tool_use_id"), "");
    result.is_error = map.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    result.content = match map.get("content") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![ContentPart::Text(text.to_string())],
        Some(Value::Array(blocks)) => {
            let mut content = Vec::with_capacity(blocks.len());
            for block in blocks.iter() {
                content.extend(parts(block)?);
            }
            content
        }
        Some(_) => return Err(wrong("the `content` of a result is neither a text nor a list")),
    };
    Ok(result)
}

/// A source that every protocol understands.
fn media(source: &Value) -> Option<Media> {
    let map = source.as_object()?;
    match text(map, "type") {
        "base64" => Some(Media::new(text(map, "data")).with_media_type(text(map, "media_type"))),
        "url" => Some(Media::new(text(map, "url"))),
        "text" => Some(Media::from_bytes(text(map, "data"), text(map, "media_type"))),
        _ => None,
    }
}
