//! Reads requests for responses.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, Message, ProviderPart, Role, Strictness, ToolCall, ToolResult,
};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::provider_fields;
use crate::error::Result;
use crate::kept::{Conversation, Original, Piece, unknown};
use crate::options::Reasoning;
use crate::parse::{
    Fields, arguments, choice, content, function, has_only, no_other_kind, output_form,
    prompt_cache, text, tools, wrong,
};
use crate::request::Request;

pub(crate) fn request(fields: &mut Fields, request: &mut Request<'_>) -> Result<()> {
    let mut conversation = Conversation::default();
    if let Some(text) = fields.text("instructions") {
        conversation.push(Message::system(text));
    }
    no_other_kind(fields, "instructions")?;
    if let Some(text) = fields.text("input") {
        conversation.push(Message::user(text));
    }
    let input = fields.list("input");
    no_other_kind(fields, "input")?;
    for (index, value) in input.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| wrong("an item is no map"));
        let item = map.and_then(|map| item(map, &mut conversation));
        item.map_err(|error| error.in_message(index))?;
    }
    request.take(conversation);
    let options = &mut request.options;
    options.max_output_tokens = fields.count("max_output_tokens");
    options.allow_multiple_tool_calls = fields.take("parallel_tool_calls", Value::as_bool);
    tools(fields, request, |tool| match text(tool, "type") {
        "function" => function(tool, "parameters", Strictness::Off),
        _ => None,
    });
    request.tool_choice = choice(fields, "tool_choice", |map| match text(map, "type") {
        "function" if has_only(map, &["type", "name"]) => Some(text(map, "name").to_owned()),
        _ => None,
    });
    let format = fields
        .left
        .get("text")
        .and_then(|text| output_form(text.get("format")?.as_object()?, false));
    if let Some(format) = format {
        request.response_format = Some(format);
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
    prompt_cache(fields, request);
    Ok(())
}

/// What a message says that no metadata is.
pub(super) const OWN_NAMES: [&str; 5] = ["type", "id", "status", "role", "content"];

/// Adds an item to the messages. What the model wrote without a person in between is one message, but for its
/// texts: each item of texts begins one.
fn item(map: &Map, conversation: &mut Conversation) -> Result<()> {
    match text(map, "type") {
        "message" | "" => message(map, conversation)?,
        "function_call" => {
            let arguments = arguments(map, "arguments")?;
            let call = ToolCall::new(text(map, "call_id"), text(map, "name"), arguments);
            wrote(conversation, tool_call(call, map, "arguments"));
        }
        "custom_tool_call" => {
            let mut call =
                ToolCall::new(text(map, "call_id"), text(map, "name"), text(map, "input"));
            call.free_text = true;
            wrote(conversation, tool_call(call, map, "input"));
        }
        kind @ ("function_call_output" | "custom_tool_call_output") => {
            let names = unknown(map, &["type", "id", "status", "call_id", "output"]);
            // Only the call says of which type its result is, and it may be in a response that the provider keeps.
            let is_kept = !names.is_empty() || kind == "custom_tool_call_output";
            let original = is_kept.then(|| Original::new(map, names));
            let result = ToolResult::new(text(map, "call_id"), "");
            conversation.say(Role::Tool, Vec::new());
            conversation.add_result(result, original, content(map.get("output"), part)?);
        }
        kind => {
            if kind == "reasoning" {
                let parts = map.get("summary").and_then(Value::as_array).unwrap_or_default();
                let texts =
                    parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                let texts: Vec<&str> = texts.collect();
                if !texts.is_empty() {
                    wrote(conversation, ContentPart::Reasoning(texts.join("\n\n")).into());
                }
            }
            let part = ProviderPart::new(PROTOCOL, map.clone());
            wrote(conversation, ContentPart::Provider(part).into());
        }
    }
    Ok(())
}

/// A call, with all that its item says.
fn tool_call(call: ToolCall, map: &Map, arguments: &str) -> Piece {
    let call = call.with_provider_fields(PROTOCOL, provider_fields(map, CALL_FIELDS));
    let known = [&["type", "id", "status", "call_id", "name", arguments], CALL_FIELDS].concat();
    let has_id = !call.id.is_empty();
    let piece = Piece::new(ContentPart::ToolCall(call), map, &known);
    // A call without an id gets one.
    if has_id { piece } else { piece.part.into() }
}

/// Adds what the model wrote to its message.
fn wrote(conversation: &mut Conversation, piece: Piece) {
    match conversation.messages.last() {
        Some(last) if last.role == Role::Assistant => conversation.add(piece),
        _ => conversation.say(Role::Assistant, vec![piece]),
    }
}

fn message(map: &Map, conversation: &mut Conversation) -> Result<()> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(wrong("it has no `role`"));
    };
    let (role, parts) = (Role::from(role), content(map.get("content"), part)?);
    let metadata = map.iter().filter(|(name, value)| !OWN_NAMES.contains(name) && !value.is_null());
    let metadata: Map = metadata.map(|(name, value)| (name, value.clone())).collect();
    let belongs_to = |last: &Message| {
        role == Role::Assistant
            && last.role == Role::Assistant
            && last.metadata.is_empty()
            && !conversation.last_has_text()
    };
    if conversation.messages.last().is_some_and(belongs_to) {
        parts.into_iter().for_each(|piece| conversation.add(piece));
    } else {
        conversation.say(role, parts);
    }
    if let Some(message) = conversation.last_mut().filter(|_| !metadata.is_empty()) {
        message.metadata = metadata;
    }
    Ok(())
}

fn part(map: &Map) -> Result<Piece> {
    let name = text(map, "filename");
    let named = |media: Media| if name.is_empty() { media } else { media.with_name(name) };
    let own = |part, known| Ok(Piece::new(part, map, known));
    match text(map, "type") {
        "input_text" | "output_text" | "text" => {
            own(ContentPart::Text(text(map, "text").to_owned()), &["type", "text"])
        }
        "refusal" => own(ContentPart::Text(text(map, "refusal").to_owned()), &["type", "refusal"]),
        "input_image" if map.get("image_url").and_then(Value::as_str).is_some() => {
            let media = Media::new(text(map, "image_url"));
            let media = match text(map, "detail") {
                "" => media,
                detail => media.with_detail(detail),
            };
            own(ContentPart::Image(media), &["type", "image_url", "detail"])
        }
        "input_file" if map.contains_key("file_data") => {
            let media = named(Media::new(text(map, "file_data")));
            own(ContentPart::File(media), &["type", "file_data", "filename"])
        }
        "input_file" if map.contains_key("file_url") => {
            let media = named(Media::new(text(map, "file_url")));
            own(ContentPart::File(media), &["type", "file_url", "filename"])
        }
        _ => Ok(ContentPart::Provider(ProviderPart::new(PROTOCOL, map.clone())).into()),
    }
}
