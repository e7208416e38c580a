//! Reads requests for responses.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, Message, ProviderPart, Role, Strictness, ToolCall, ToolResult,
};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::provider_fields;
use crate::error::Result;
use crate::options::Reasoning;
use crate::originals::{ConversationBuilder, OriginalJson, ParsedPart, unknown};
use crate::parse::{
    BodyFields, has_only, invalid_body, not_an_object, read_arguments, read_content, read_function,
    read_prompt_cache, read_response_format, read_tool_choice, read_tools, reject_other_kind, text,
};
use crate::request::Request;

/// Reads the fields of a body that are specific to this protocol.
pub(crate) fn read_request(fields: &mut BodyFields, request: &mut Request<'_>) -> Result<()> {
    let mut conversation = ConversationBuilder::default();
    if let Some(text) = fields.text("instructions") {
        conversation.push(Message::system(text));
    }
    reject_other_kind(fields, "instructions")?;
    if let Some(text) = fields.text("input") {
        conversation.push(Message::user(text));
    }
    let input = fields.list("input");
    reject_other_kind(fields, "input")?;
    for (index, value) in input.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| not_an_object("an item", value));
        let item = map.and_then(|map| read_item(map, &mut conversation));
        item.map_err(|error| error.in_message(index))?;
    }
    request.set_conversation(conversation);
    let options = &mut request.options;
    options.max_output_tokens = fields.count("max_output_tokens");
    options.allow_multiple_tool_calls = fields.take("parallel_tool_calls", Value::as_bool);
    read_tools(fields, request, |tool| match text(tool, "type") {
        "function" => read_function(tool, "parameters", Strictness::Off),
        _ => None,
    });
    request.tool_choice = read_tool_choice(fields, "tool_choice", |map| match text(map, "type") {
        "function" if has_only(map, &["type", "name"]) => Some(text(map, "name").to_owned()),
        _ => None,
    });
    let format = fields
        .left
        .get("text")
        .and_then(|text| read_response_format(text.get("format")?.as_object()?, false));
    if let Some(format) = format {
        request.response_format = Some(format);
        let mut more = fields.take("text", |text| text.as_object().cloned()).unwrap_or_default();
        more.remove("format");
        if !more.is_empty() {
            fields.left.insert("text", more);
        }
    }
    request.reasoning = fields.take("reasoning", |reasoning| {
        let map = reasoning.as_object()?;
        let word = |name| map.get(name).and_then(Value::as_str).map(|it| Cow::Owned(it.to_owned()));
        let (effort, summary) = (word("effort"), word("summary"));
        let reasoning = Reasoning { effort, summary, ..Reasoning::default() };
        has_only(map, &["effort", "summary"]).then_some(reasoning)
    });
    read_prompt_cache(fields, request);
    Ok(())
}

/// The fields of a message that are not metadata.
pub(super) const OWN_NAMES: [&str; 5] = ["type", "id", "status", "role", "content"];

/// Adds an item to the messages. Consecutive items of the model form one message, except that each
/// text item begins a new one.
fn read_item(map: &Map, conversation: &mut ConversationBuilder) -> Result<()> {
    match text(map, "type") {
        "message" | "" => read_message(map, conversation)?,
        "function_call" => {
            let arguments = read_arguments(map, "arguments")?;
            let call = ToolCall::new(text(map, "call_id"), text(map, "name"), arguments);
            add_to_model_message(conversation, call_part(call, map, "arguments"));
        }
        "custom_tool_call" => {
            let mut call =
                ToolCall::new(text(map, "call_id"), text(map, "name"), text(map, "input"));
            call.free_text = true;
            add_to_model_message(conversation, call_part(call, map, "input"));
        }
        kind @ ("function_call_output" | "custom_tool_call_output") => {
            let names = unknown(map, &["type", "id", "status", "call_id", "output"]);
            // Only the call has the type of its result, and the provider may store the call.
            let is_kept = !names.is_empty() || kind == "custom_tool_call_output";
            let result = ToolResult::new(text(map, "call_id"), "");
            // A result without an id gets the id of its call, so its original JSON is not written.
            let original =
                is_kept.then(|| OriginalJson::new(map, names).if_has_id(&result.call_id));
            conversation.push_parts(Role::Tool, Vec::new());
            conversation.add_result(result, original, read_content(map.get("output"), read_part)?);
        }
        kind if is_message_part(kind) => {
            let message = format!("`{kind}` is a part of a message, not an item");
            return Err(invalid_body(message).with_help("put it into the `content` of a message"));
        }
        kind => {
            if kind == "reasoning" {
                let parts = map.get("summary").and_then(Value::as_array).unwrap_or_default();
                let texts =
                    parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                let texts: Vec<&str> = texts.collect();
                if !texts.is_empty() {
                    let reasoning = ContentPart::Reasoning(texts.join("\n\n"));
                    add_to_model_message(conversation, reasoning.into());
                }
            }
            let part = ProviderPart::new(PROTOCOL, map.clone());
            add_to_model_message(conversation, ContentPart::Provider(part).into());
        }
    }
    Ok(())
}

/// Whether an object of this type is a part of a message, and not an item.
pub(super) fn is_message_part(kind: &str) -> bool {
    kind.starts_with("input_") || kind.starts_with("output_") || kind == "refusal"
}

/// A call, with its original JSON if the item has more fields.
fn call_part(call: ToolCall, map: &Map, arguments: &str) -> ParsedPart {
    let call = call.with_provider_fields(PROTOCOL, provider_fields(map, CALL_FIELDS));
    let known = [&["type", "id", "status", "call_id", "name", arguments], CALL_FIELDS].concat();
    ParsedPart::new(ContentPart::ToolCall(call), map, &known).of_call(text(map, "call_id"))
}

/// Adds a part of the model to its message.
fn add_to_model_message(conversation: &mut ConversationBuilder, piece: ParsedPart) {
    match conversation.messages.last() {
        Some(last) if last.role == Role::Assistant => conversation.add(piece),
        _ => conversation.push_parts(Role::Assistant, vec![piece]),
    }
}

fn read_message(map: &Map, conversation: &mut ConversationBuilder) -> Result<()> {
    let Some(role) = map.get("role").and_then(Value::as_str) else {
        return Err(invalid_body("missing field `role`"));
    };
    let (role, parts) = (Role::from(role), read_content(map.get("content"), read_part)?);
    let metadata = map.iter().filter(|(name, value)| !OWN_NAMES.contains(name) && !value.is_null());
    let metadata: Map = metadata.map(|(name, value)| (name, value.clone())).collect();
    let belongs_to = |last: &Message| {
        role == Role::Assistant
            && last.role == Role::Assistant
            && last.metadata.is_empty()
            && !conversation.last_has_text
    };
    if conversation.messages.last().is_some_and(belongs_to) {
        parts.into_iter().for_each(|piece| conversation.add(piece));
    } else {
        conversation.push_parts(role, parts);
    }
    if let Some(message) = conversation.messages.last_mut().filter(|_| !metadata.is_empty()) {
        message.metadata = metadata;
    }
    Ok(())
}

fn read_part(map: &Map) -> Result<ParsedPart> {
    let name = text(map, "filename");
    let with_filename = |media: Media| if name.is_empty() { media } else { media.with_name(name) };
    let new = |part, known| Ok(ParsedPart::new(part, map, known));
    match text(map, "type") {
        "input_text" | "output_text" | "text" => {
            new(ContentPart::Text(text(map, "text").to_owned()), &["type", "text"])
        }
        "refusal" => new(ContentPart::Text(text(map, "refusal").to_owned()), &["type", "refusal"]),
        // Media by an id, which only the provider understands, are provider parts.
        "input_image" if map.get("image_url").and_then(Value::as_str).is_some() => {
            let media = Media::new(text(map, "image_url"));
            let media = match text(map, "detail") {
                "" => media,
                detail => media.with_detail(detail),
            };
            new(ContentPart::Image(media), &["type", "image_url", "detail"])
        }
        "input_file" if map.contains_key("file_data") => {
            let media = with_filename(Media::new(text(map, "file_data")));
            new(ContentPart::File(media), &["type", "file_data", "filename"])
        }
        "input_file" if map.contains_key("file_url") => {
            let media = with_filename(Media::new(text(map, "file_url")));
            new(ContentPart::File(media), &["type", "file_url", "filename"])
        }
        _ => Ok(ContentPart::Provider(ProviderPart::new(PROTOCOL, map.clone())).into()),
    }
}
