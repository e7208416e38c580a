//! Reads requests for chat completions.

use std::borrow::Cow;

use prompty_core::message::{
    CallForm, ContentPart, ProviderPart, Role, Strictness, ToolCall, ToolResult, part_from_openai,
};
use prompty_core::value::{Map, Value};

use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::provider_fields;
use crate::error::Result;
use crate::options::Reasoning;
use crate::originals::{ConversationBuilder, ParsedPart, unknown};
use crate::parse::{
    BodyFields, has_only, invalid_body, not_an_object, read_arguments, read_content, read_function,
    read_prompt_cache, read_response_format, read_tool_choice, read_tools, required_list, text,
};
use crate::request::Request;

/// The field names that servers use for reasoning, the preferred one first.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Reads the fields of a body that are specific to this protocol.
pub(crate) fn read_request(fields: &mut BodyFields, request: &mut Request<'_>) -> Result<()> {
    let mut conversation = ConversationBuilder::default();
    for (index, value) in required_list(fields, "messages")?.iter().enumerate() {
        let map = value.as_object().ok_or_else(|| not_an_object("a message", value));
        let message = map.and_then(|map| read_message(map, request, &mut conversation));
        message.map_err(|error| error.in_message(index))?;
    }
    request.set_conversation(conversation);
    let options = &mut request.options;
    let limit = fields.count("max_completion_tokens");
    options.max_output_tokens = limit.or_else(|| fields.count("max_tokens"));
    options.frequency_penalty = fields.number("frequency_penalty");
    options.presence_penalty = fields.number("presence_penalty");
    options.seed = fields.take("seed", |seed| i64::try_from(seed.as_integer()?).ok());
    options.stop_sequences = fields.take("stop", read_stop_sequences).unwrap_or_default();
    options.allow_multiple_tool_calls = fields.take("parallel_tool_calls", Value::as_bool);
    read_tools(fields, request, |tool| match text(tool, "type") {
        "function" => {
            let (own, mut names) =
                read_function(tool.get("function")?.as_object()?, "parameters", Strictness::Never)?;
            names.extend(unknown(tool, &["type", "function"]));
            Some((own, names))
        }
        _ => None,
    });
    request.tool_choice = read_tool_choice(fields, "tool_choice", |map| {
        let function = map.get("function").and_then(Value::as_object)?;
        if !has_only(map, &["type", "function"]) || !has_only(function, &["name"]) {
            return None;
        }
        Some(function.get("name")?.as_str()?.to_owned())
    });
    read_functions(fields, request);
    request.response_format =
        fields.take("response_format", |format| read_response_format(format.as_object()?, false));
    request.reasoning = fields.text("reasoning_effort").map(Reasoning::effort);
    read_prompt_cache(fields, request);
    // These options are always written with a stream.
    let usual = Value::Object(Map::from([("include_usage", true)]));
    if request.is_streaming {
        fields.take("stream_options", |options| (*options == usual).then_some(()));
    }
    Ok(())
}

/// Reads functions, the older form of tools.
fn read_functions(fields: &mut BodyFields, request: &mut Request<'_>) {
    let read_list = |functions: &Value| {
        let functions = functions.as_array()?.iter();
        let read = |it: &Value| {
            let (tool, names) = read_function(it.as_object()?, "parameters", Strictness::Never)?;
            names.is_empty().then_some(tool)
        };
        functions.map(read).collect::<Option<Vec<_>>>()
    };
    if let Some(functions) = fields.take("functions", read_list) {
        request.tools.extend(functions);
        let name = |map: &Map| Some(map.get("name")?.as_str()?.to_owned());
        request.tool_choice = read_tool_choice(fields, "function_call", name);
    }
}

/// Reads stop sequences: a string, or an array of strings.
fn read_stop_sequences(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.to_string()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// The fields of a message that are not metadata.
pub(super) const OWN_NAMES: [&str; 10] = [
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "reasoning_details",
    "reasoning_content",
    "reasoning",
    "reasoning_text",
];

/// Reads a message, and adds it to the conversation.
fn read_message(
    map: &Map,
    request: &mut Request<'_>,
    conversation: &mut ConversationBuilder,
) -> Result<()> {
    let content = read_content(map.get("content"), read_part)?;
    match map.get("role").and_then(Value::as_str) {
        None => return Err(invalid_body("missing field `role`")),
        Some("tool") => {
            let result = ToolResult::new(text(map, "tool_call_id"), "");
            conversation.push_parts(Role::Tool, Vec::new());
            conversation.add_result(result.with_name(text(map, "name")), None, content);
        }
        // The older form of `tool`, without ids.
        Some("function") => {
            let result = ToolResult::new("", "").with_name(text(map, "name"));
            conversation.push_parts(Role::Tool, Vec::new());
            conversation.add_result(result, None, content);
            return Ok(());
        }
        Some(role) => {
            let mut parts = read_reasoning(map, request);
            parts.extend(content);
            let refusal = Some(text(map, "refusal")).filter(|refusal| !refusal.is_empty());
            parts.extend(refusal.map(|refusal| ContentPart::Text(refusal.to_owned()).into()));
            parts.extend(read_calls(map)?);
            conversation.push_parts(Role::from(role), parts);
        }
    }
    if let Some(message) = conversation.messages.last_mut() {
        let metadata = map.iter().filter(|(name, _)| !OWN_NAMES.contains(name));
        message.metadata = metadata.map(|(name, value)| (name, value.clone())).collect();
    }
    Ok(())
}

/// The reasoning of a message: its text, and the provider's own form. The name of the field with
/// the text is kept, so that the reasoning is sent back in it.
fn read_reasoning(map: &Map, request: &mut Request<'_>) -> Vec<ParsedPart> {
    let mut parts = Vec::new();
    for name in REASONING {
        if let Some(reasoning) = map.get(name).and_then(Value::as_str) {
            request.reasoning_field.get_or_insert(Cow::Borrowed(name));
            if !reasoning.is_empty() && parts.is_empty() {
                parts.push(ContentPart::Reasoning(reasoning.to_owned()).into());
            }
        }
    }
    if let Some(details) = map.get("reasoning_details").filter(|it| it.as_array().is_some()) {
        let kind = ("type", Value::from("reasoning_details"));
        let value = Map::from([kind, ("reasoning_details", details.clone())]);
        parts.push(ContentPart::Provider(ProviderPart::new(PROTOCOL, value)).into());
    }
    parts
}

fn read_part(map: &Map) -> Result<ParsedPart> {
    let of_provider = || ContentPart::Provider(ProviderPart::new(PROTOCOL, map.clone()));
    // The known fields of the part, and those of the object in it.
    let (known, within): (&[&str], &[&str]) = match text(map, "type") {
        "refusal" => return Ok(ContentPart::Text(text(map, "refusal").to_owned()).into()),
        "text" => (&["type", "text"], &[]),
        "image_url" => (&["type", "image_url", "detail"], &["url", "detail"]),
        "input_audio" => (&["type", "input_audio"], &["data", "format"]),
        "file" => (&["type", "file"], &["file_data", "filename"]),
        _ => return Ok(of_provider().into()),
    };
    // For example, only the provider understands a file with its own id.
    let Ok(part) = part_from_openai(map) else {
        return Ok(of_provider().into());
    };
    Ok(ParsedPart::with_inner(part, map, known, text(map, "type"), within))
}

fn read_calls(map: &Map) -> Result<Vec<ParsedPart>> {
    let list = map.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
    let mut calls: Vec<ParsedPart> = list.iter().map(read_tool_call).collect::<Result<_, _>>()?;
    if let Some(Value::Object(function)) = map.get("function_call") {
        let call =
            ToolCall::new("", text(function, "name"), read_arguments(function, "arguments")?);
        calls.push(ContentPart::ToolCall(call).into());
    }
    Ok(calls)
}

fn read_tool_call(value: &Value) -> Result<ParsedPart> {
    let Value::Object(map) = value else { return Err(not_an_object("a call", value)) };
    let Some((form, Value::Object(called))) = CallForm::read(map) else {
        return Err(invalid_body("missing field `function` of a call"));
    };
    let id = text(map, "id");
    let mut call = ToolCall::new(id, text(called, "name"), read_arguments(called, form.arguments)?);
    call.free_text = form.free_text;
    let call = call.with_provider_fields(PROTOCOL, provider_fields(map, CALL_FIELDS));
    let known = [&["id", "type", "index", form.kind], CALL_FIELDS].concat();
    let (part, within) = (ContentPart::ToolCall(call), ["name", form.arguments]);
    Ok(ParsedPart::with_inner(part, map, &known, form.kind, &within).of_call(id))
}
