//! Reads requests for Anthropic's messages.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, Message, ProviderPart, Role, Strictness, ToolCall, ToolChoice, ToolResult,
};
use prompty_core::value::internal::json::to_string;
use prompty_core::value::{Map, Value};

use super::write::CACHE_CONTROL;
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::provider_fields;
use crate::error::Result;
use crate::fields::EXACT;
use crate::options::{PromptCache, Reasoning};
use crate::originals::{ConversationBuilder, OriginalJson, ParsedPart, unknown};
use crate::parse::{
    BodyFields, has_only, invalid_body, not_an_object, read_function, read_response_format,
    read_tools, reject_other_kind, required_list, text,
};
use crate::request::Request;

/// Reads the fields of a body that are specific to this protocol.
pub(crate) fn read_request(fields: &mut BodyFields, request: &mut Request<'_>) -> Result<()> {
    let mut conversation = ConversationBuilder::default();
    read_system(fields, &mut conversation)?;
    for (index, value) in required_list(fields, "messages")?.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| not_an_object("a message", value));
        let message = map.and_then(|map| read_message(map, &mut conversation));
        message.map_err(|error| error.in_message(index))?;
        request.keeps_system |= value.get("role").and_then(Value::as_str) == Some("system");
    }
    request.set_conversation(conversation);
    let options = &mut request.options;
    options.max_output_tokens = fields.count("max_tokens");
    options.top_k = fields.count("top_k");
    let texts = |list: &Value| {
        list.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect::<Option<_>>()
    };
    options.stop_sequences = fields.take("stop_sequences", texts).unwrap_or_default();
    read_tools(fields, request, |tool| match text(tool, "type") {
        "" | "custom" => read_function(tool, "input_schema", Strictness::Never),
        _ => None,
    });
    read_tool_choice(fields, request);
    read_reasoning(fields, request);
    request.prompt_cache = fields.take("cache_control", |control| {
        let control = control.as_object()?;
        let is_usual = has_only(control, &["type", "ttl"]) && text(control, "type") == "ephemeral";
        let time = control.get("ttl").and_then(Value::as_str).map(str::to_owned);
        is_usual.then_some(PromptCache { key: None, time })
    });
    Ok(())
}

/// Reads the system texts, each as a message.
fn read_system(fields: &mut BodyFields, conversation: &mut ConversationBuilder) -> Result<()> {
    if let Some(text) = fields.text("system") {
        conversation.push(Message::system(text));
    }
    let blocks = fields.list("system");
    reject_other_kind(fields, "system")?;
    blocks
        .iter()
        .try_for_each(|block| push_blocks(Role::System, std::slice::from_ref(block), conversation))
}

fn read_tool_choice(fields: &mut BodyFields, request: &mut Request<'_>) {
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

fn read_reasoning(fields: &mut BodyFields, request: &mut Request<'_>) {
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
        let map = value.as_object().filter(|map| has_only(map, &["format", "effort"]))?;
        let format = match map.get("format") {
            None | Some(Value::Null) => None,
            // Anthropic only accepts strict schemas.
            Some(format) => Some(read_response_format(format.as_object()?, true)?),
        };
        let effort = match map.get("effort") {
            None | Some(Value::Null) => None,
            Some(effort) => Some(effort.as_str()?.to_owned()),
        };
        Some((format, effort))
    });
    request.reasoning = thinking;
    if let Some((format, effort)) = config {
        request.response_format = format;
        if let Some(effort) = effort {
            request.reasoning.get_or_insert_default().effort = Some(Cow::Owned(effort));
        }
    }
}

fn read_message(map: &Map, conversation: &mut ConversationBuilder) -> Result<()> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(invalid_body("missing field `role`"));
    };
    if let Some(name) = unknown(map, &["role", "content"]).first() {
        return Err(invalid_body(format!("unknown field `{name}` of a message")));
    }
    let blocks = match map.get("content") {
        Some(Value::String(text)) => {
            conversation.push(Message::text_of(Role::from(role), &**text));
            return Ok(());
        }
        Some(Value::Array(blocks)) => blocks.as_slice(),
        other => {
            let found = other.map_or("nothing", Value::kind_name);
            let message = format!("expected a string or an array as `content`, found {found}");
            return Err(invalid_body(message));
        }
    };
    let is_result =
        |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
    let role = match Role::from(role) {
        Role::User if !blocks.is_empty() && blocks.iter().all(is_result) => Role::Tool,
        role => role,
    };
    push_blocks(role, blocks, conversation)
}

/// Adds a message of blocks. The cache control of the last block becomes metadata of the message.
fn push_blocks(role: Role, blocks: &[Value], conversation: &mut ConversationBuilder) -> Result<()> {
    conversation.push_parts(role, Vec::new());
    for (index, block) in blocks.iter().enumerate() {
        let Value::Object(map) = block else {
            return Err(not_an_object("a block", block));
        };
        let known: &[&str] = if index + 1 == blocks.len() { &[CACHE_CONTROL] } else { &[] };
        match text(map, "type") {
            "tool_result" => add_result(map, known, conversation)?,
            _ => block_parts(map, known).into_iter().for_each(|piece| conversation.add(piece)),
        }
    }
    let control = blocks.last().and_then(|block| block.get(CACHE_CONTROL));
    let control = control.filter(|control| !control.is_null());
    if let (Some(control), Some(message)) = (control, conversation.messages.last_mut()) {
        message.metadata.insert(CACHE_CONTROL, control.clone());
    }
    Ok(())
}

/// The parts of a block. Reasoning becomes two parts: readable text, and the provider part. `known`
/// are further known fields.
fn block_parts(map: &Map, known: &[&str]) -> Vec<ParsedPart> {
    let parsed = |part, names: &[&str]| {
        vec![ParsedPart::new(part, map, &[names, known, &["type"]].concat())]
    };
    let media_part = |part, names: &[&str]| {
        let known = [names, known, &["type", "source"]].concat();
        let within = ["type", "media_type", "data", "url"];
        vec![ParsedPart::with_inner(part, map, &known, "source", &within)]
    };
    let of_provider = || ContentPart::Provider(ProviderPart::new(PROTOCOL, map.clone()));
    let (media, title) = (map.get("source").and_then(read_media_source), text(map, "title"));
    match (text(map, "type"), media) {
        ("text", _) => parsed(ContentPart::Text(text(map, "text").to_owned()), &["text"]),
        ("tool_use", _) => {
            let input = map.get("input").map(|input| to_string(input, EXACT));
            let arguments = input.unwrap_or_else(|| "{}".to_owned());
            let call = ToolCall::new(text(map, "id"), text(map, "name"), arguments);
            let fields = provider_fields(map, CALL_FIELDS);
            let call = ContentPart::ToolCall(call.with_provider_fields(PROTOCOL, fields));
            let parsed = parsed(call, &[&["id", "name", "input"], CALL_FIELDS].concat());
            parsed.into_iter().map(|part| part.of_call(text(map, "id"))).collect()
        }
        ("thinking", _) => {
            let text = ContentPart::Reasoning(text(map, "thinking").to_owned());
            vec![text.into(), of_provider().into()]
        }
        ("image", Some(media)) => media_part(ContentPart::Image(media), &[]),
        ("document", Some(media)) => {
            let media = if title.is_empty() { media } else { media.with_name(title) };
            media_part(ContentPart::File(media), &["title"])
        }
        _ => vec![of_provider().into()],
    }
}

/// Adds the result of a call. `known` are further known fields.
fn add_result(map: &Map, known: &[&str], conversation: &mut ConversationBuilder) -> Result<()> {
    let mut result = ToolResult::new(text(map, "tool_use_id"), "");
    result.is_error = map.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    let own: &[&str] = &["type", "tool_use_id", "content", "is_error"];
    let names = unknown(map, &[own, known].concat());
    // A result without an id gets the id of its call, so its original JSON is not written.
    let original =
        (!names.is_empty()).then(|| OriginalJson::new(map, names).if_has_id(&result.call_id));
    let content = match map.get("content") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![ContentPart::Text(text.to_string()).into()],
        Some(Value::Array(blocks)) => {
            let mut content = Vec::with_capacity(blocks.len());
            for block in blocks.iter() {
                let map = block.as_object().ok_or_else(|| not_an_object("a block", block))?;
                content.extend(block_parts(map, &[]));
            }
            content
        }
        Some(other) => {
            return Err(invalid_body(format!(
                "expected a string or an array as `content` of a result, found {}",
                other.kind_name()
            )));
        }
    };
    conversation.add_result(result, original, content);
    Ok(())
}

/// Reads a media source that every protocol understands.
fn read_media_source(source: &Value) -> Option<Media> {
    let map = source.as_object()?;
    match text(map, "type") {
        "base64" => Some(Media::new(text(map, "data")).with_media_type(text(map, "media_type"))),
        "url" => Some(Media::new(text(map, "url"))),
        "text" => Some(Media::from_bytes(text(map, "data"), text(map, "media_type"))),
        _ => None,
    }
}
