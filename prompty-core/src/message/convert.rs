//! Reads messages from values, in the form of the specification and of chat APIs. Writes messages
//! as values, in the form of the specification.
//!
//! [`read_message`] reads the entries of a message, [`read_parts`] its content, and
//! [`read_part_map`] each part by its `kind` or `type`. A tool result contains parts again. The
//! functions at the end read an entry that may have several names; the first name that the map
//! contains counts.

use super::call_form::{CallForm, arguments_text};
use super::{
    Content, ContentPart, Media, Message, ProviderFields, ProviderPart, RichKind, Role, ToolCall,
    ToolResult,
};
use crate::error::{Error, ErrorKind};
use crate::value::internal::json::JsonStyle;
use crate::value::internal::{Failure, excerpt};
use crate::value::{MAX_DEPTH, Map, Value};

const HELP: &str = "write a message as `{role, content}`; the content is a string, or an array of \
                    parts such as `{kind: \"text\", value: \"Hello\"}`";

const HELP_STORED: &str =
    "remove the part, or read stored conversations through serde, as `Vec<Message>`";

const HELP_MEDIA: &str = "pass a URL, a data URI or base64 data as a string, or an object of \
                          `value` and, optionally, `mediaType` and `detail`";

/// Reads a conversation from an array of messages in the forms of [`Message::from_value`].
///
/// A thread often comes from a request, and only its roles may say who speaks. Provider-specific
/// parts, such as a reference to a file or to a stored response, would be sent in your name. A
/// thread therefore does not accept them. Read conversations that you stored through serde, as
/// `Vec<Message>`: that form keeps such parts.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{Message, thread_from_value};
/// use typed_prompty::value::{Map, Value};
///
/// let turn = |role, text| Value::from(Map::from([("role", role), ("content", text)]));
/// let thread = Value::from(vec![turn("user", "Hi"), turn("assistant", "Hello")]);
/// assert_eq!(thread_from_value(&thread)?, [Message::user("Hi"), Message::assistant("Hello")]);
/// # Ok::<(), prompty_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`] if the value is not an array of messages, or if a message has
/// a provider-specific part. The error has the place and the reason:
/// `at [2].content: expected a string or an array of parts, found integer`.
pub fn thread_from_value(thread: &Value) -> Result<Vec<Message>, Error> {
    let Some(items) = thread.as_array() else {
        return Err(wrong(expected("an array of messages", thread), HELP));
    };
    let mut messages = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let message = read_message(item).map_err(|cause| wrong(cause.in_index(index), HELP))?;
        if message.content.iter().any(is_provider_specific) {
            let cause = Failure::new("provider-specific parts are not allowed in a thread");
            return Err(wrong(cause.in_index(index), HELP_STORED));
        }
        messages.push(message);
    }
    Ok(messages)
}

/// Whether only a provider understands a part or its content.
fn is_provider_specific(part: &ContentPart) -> bool {
    match part {
        ContentPart::Provider(_) => true,
        ContentPart::ToolCall(call) => call.provider.is_some(),
        ContentPart::ToolResult(result) => result.content.iter().any(is_provider_specific),
        _ => false,
    }
}

impl Message {
    /// Reads a message from a value.
    ///
    /// It accepts the form that [`Message::to_value`] writes, with `parts` as another name of
    /// `content`, and a string as `content`. It also accepts the form of chat APIs: parts of `type`
    /// `text`, `image_url`, `input_audio` and `file`, `tool_calls`, `reasoning_content`, and the
    /// role `tool` with `tool_call_id` and `name`. All other entries become metadata.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::{Message, Role};
    /// use typed_prompty::value::{Map, Value};
    ///
    /// let value = Map::from([("role", "user"), ("content", "Hi"), ("name", "Ada")]);
    /// let message = Message::from_value(&Value::from(value))?;
    /// assert_eq!(message, Message::user("Hi").with_metadata("name", "Ada"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the value has another form. The error has the position
    /// in the value, the expected form and the actual kind.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        read_message(value).map_err(|cause| wrong(cause, HELP))
    }

    /// The message in the specification's form: `{role, content: [{kind, …}], metadata?}`.
    pub fn to_value(&self) -> Value {
        message_to_value(self, "content")
    }
}

impl ContentPart {
    /// Reads a part from a value, in the forms that [`Message::from_value`] accepts.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the value has another form. The error has the expected
    /// form and the actual kind.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        read_part(value, 0).map_err(|cause| wrong(cause, HELP))
    }
}

impl Media {
    /// Reads media from a value: a string, or an object of `value` (or `url`, or `source`),
    /// `mediaType` (or `media_type`), `detail` and `name`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the value has another form. The error has the expected
    /// form and the actual kind.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        read_media(value).map_err(|cause| wrong(cause, HELP_MEDIA))
    }

    /// The media as an object of `value` and, if they are set, `mediaType`, `detail` and `name`.
    pub fn to_value(&self) -> Value {
        let mut media = Map::new();
        self.write_into(&mut media);
        Value::Object(media)
    }

    /// Writes the entries of [`to_value`](Self::to_value) into an object that may have others.
    fn write_into(&self, map: &mut Map) {
        map.insert("value", self.value.as_str());
        map.insert_some("mediaType", self.media_type.as_deref());
        map.insert_some("detail", self.detail.as_deref());
        map.insert_some("name", self.name.as_deref());
    }
}

fn wrong(cause: Failure, help: &str) -> Error {
    cause.into_error(ErrorKind::WrongInput).with_help(help)
}

/// The message as `{role, content: […], metadata?}`. `content_key` is the key of its parts.
pub(super) fn message_to_value(message: &Message, content_key: &'static str) -> Value {
    let mut map = Map::from([("role", Value::from(message.role.as_str()))]);
    map.insert(content_key, parts_to_value(&message.content));
    if !message.metadata.is_empty() {
        map.insert("metadata", message.metadata.clone());
    }
    Value::Object(map)
}

fn parts_to_value(parts: &[ContentPart]) -> Value {
    parts.iter().map(part_to_value).collect()
}

/// The part in the form of the specification: `{kind: "text", value: "Hello"}`.
pub(super) fn part_to_value(part: &ContentPart) -> Value {
    let mut map = Map::from([("kind", part.kind())]);
    match part {
        ContentPart::Text(text) | ContentPart::Reasoning(text) => {
            map.insert("value", text.as_str());
        }
        ContentPart::ToolCall(call) => {
            map.insert("id", call.id.as_str());
            map.insert("name", call.name.as_str());
            map.insert("arguments", call.arguments.as_str());
            map.insert_some("freeText", call.free_text.then_some(true));
            if let Some(own) = &call.provider {
                let mut provider = Map::from([("protocol", own.protocol.as_str())]);
                provider.insert("fields", own.fields.clone());
                map.insert("provider", provider);
            }
        }
        ContentPart::ToolResult(result) => {
            map.insert("callId", result.call_id.as_str());
            if !result.name.is_empty() {
                map.insert("name", result.name.as_str());
            }
            map.insert_some("isError", result.is_error.then_some(true));
            map.insert("content", parts_to_value(&result.content));
        }
        ContentPart::Provider(part) => {
            map.insert("protocol", part.protocol.as_str());
            map.insert("value", part.value.clone());
        }
        other => {
            if let Some(media) = other.as_media() {
                media.write_into(&mut map);
            }
        }
    }
    Value::Object(map)
}

/// The keys of a message that are not metadata.
#[derive(Default)]
struct MessageFields<'v> {
    role: Option<&'v Value>,
    content: Option<&'v Value>,
    parts: Option<&'v Value>,
    tool_calls: Option<&'v Value>,
    tool_call_id: Option<&'v Value>,
    reasoning: Option<&'v Value>,
    metadata: Map,
}

impl<'v> MessageFields<'v> {
    /// Reads the entries in a single pass, which is faster than a look-up for each key.
    fn read(map: &'v Map) -> Result<Self, Failure> {
        let mut fields = Self::default();
        for (name, value) in map.iter() {
            match name {
                "role" => fields.role = Some(value),
                "content" => fields.content = Some(value),
                "parts" => fields.parts = Some(value),
                "tool_calls" => fields.tool_calls = non_null(value),
                "tool_call_id" => fields.tool_call_id = non_null(value),
                "reasoning_content" => fields.reasoning = non_null(value),
                "metadata" => fields.add_metadata(value)?,
                _ => {
                    fields.metadata.insert(name, value.clone());
                }
            }
        }
        Ok(fields)
    }

    fn add_metadata(&mut self, value: &Value) -> Result<(), Failure> {
        match value {
            Value::Null => {}
            Value::Object(map) if self.metadata.is_empty() => self.metadata = map.clone(),
            Value::Object(map) => self.metadata.extend(map.iter().map(|(k, v)| (k, v.clone()))),
            other => return Err(expected("an object", other).in_name("metadata")),
        }
        Ok(())
    }
}

fn non_null(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

/// Reads a message; see [`Message::from_value`].
pub(super) fn read_message(value: &Value) -> Result<Message, Failure> {
    let map = value.as_object().ok_or_else(|| expected("a message", value))?;
    let mut fields = MessageFields::read(map)?;
    let role = fields.role.ok_or_else(|| Failure::new("missing `role` of the message"))?;
    let role = Role::from(expect_text(role).map_err(|cause| cause.in_name("role"))?);
    let mut content = read_content(&fields)?;
    if let Some(reasoning) = fields.reasoning {
        let reasoning =
            expect_text(reasoning).map_err(|cause| cause.in_name("reasoning_content"))?;
        if !reasoning.is_empty() {
            let first = ContentPart::Reasoning(reasoning.to_owned());
            content = std::iter::once(first).chain(content).collect();
        }
    }
    if let Some(calls) = fields.tool_calls {
        read_tool_calls(calls, &mut content).map_err(|cause| cause.in_name("tool_calls"))?;
    }
    if let Some(call_id) = fields.tool_call_id {
        // In the form of chat APIs, the content of the message is that of the result.
        if role == Role::Tool && !content.iter().any(|part| part.kind() == "tool_result") {
            let call_id =
                expect_text(call_id).map_err(|cause| cause.in_name("tool_call_id"))?.to_owned();
            let name = match fields.metadata.remove("name") {
                Some(Value::String(name)) => String::from(&*name),
                _ => String::new(),
            };
            let result =
                ToolResult { call_id, name, content: content.into_vec(), ..ToolResult::default() };
            content = ContentPart::ToolResult(result).into();
        } else {
            fields.metadata.insert("tool_call_id", call_id.clone());
        }
    }
    Ok(Message { role, content, metadata: fields.metadata })
}

/// Reads `content` or `parts`. A message with calls or reasoning needs neither.
fn read_content(fields: &MessageFields<'_>) -> Result<Content, Failure> {
    let (name, content) = match (fields.content, fields.parts) {
        (Some(content), None | Some(Value::Null)) => ("content", content),
        (None | Some(Value::Null), Some(parts)) => ("parts", parts),
        (None, None) if fields.tool_calls.is_some() || fields.reasoning.is_some() => {
            return Ok(Content::new());
        }
        (None, None) => return Err(Failure::new("missing `content` of the message")),
        (Some(_), Some(_)) => {
            return Err(Failure::new("the message has both `content` and `parts`"));
        }
    };
    read_parts(content, 0).map_err(|cause| cause.in_name(name))
}

/// Reads a string, an array of parts, or null. `depth` is the number of tool results around it.
fn read_parts(value: &Value, depth: usize) -> Result<Content, Failure> {
    match value {
        Value::Null => Ok(Content::new()),
        Value::String(text) => Ok(Content::from(&**text)),
        Value::Array(items) => {
            let parts = items
                .iter()
                .enumerate()
                .map(|(index, item)| read_part(item, depth).map_err(|cause| cause.in_index(index)));
            Ok(Content::from(parts.collect::<Result<Vec<_>, _>>()?))
        }
        other => Err(expected("a string or an array of parts", other)),
    }
}

/// Reads a string or an object. `depth` is the number of tool results around it.
pub(super) fn read_part(value: &Value, depth: usize) -> Result<ContentPart, Failure> {
    match value {
        Value::String(text) => Ok(ContentPart::Text(String::from(&**text))),
        Value::Object(map) => read_part_map(map, depth),
        other => Err(expected("a string or a part `{kind, value}`", other)),
    }
}

/// Like [`read_part`], for a part that is an object.
pub(super) fn read_part_map(map: &Map, depth: usize) -> Result<ContentPart, Failure> {
    let (tag_name, tag) = first_entry(map, &["kind", "type"])
        .ok_or_else(|| Failure::new("missing `kind` of the part, such as `text` or `image`"))?;
    let tag = expect_text(tag).map_err(|cause| cause.in_name(tag_name))?;
    Ok(match tag {
        "text" | "input_text" | "output_text" => {
            ContentPart::Text(required_text(map, &["value", "text"])?.to_owned())
        }
        "file" => ContentPart::File(read_file(map)?),
        "image_url" | "input_image" => ContentPart::Image(read_image_url(map)?),
        "input_audio" => ContentPart::Audio(read_input_audio(map)?),
        "reasoning" | "thinking" => ContentPart::Reasoning(
            required_text(map, &["value", "text", "thinking", "reasoning"])?.to_owned(),
        ),
        "tool_call" => ContentPart::ToolCall(read_call_map(map)?),
        "provider" => ContentPart::Provider(ProviderPart::new(
            required_text(map, &["protocol"])?,
            required_entry(map, &["value"])?.1.clone(),
        )),
        "tool_result" => ContentPart::ToolResult(read_tool_result(map, depth)?),
        other => match RichKind::from_name(other).and_then(RichKind::media_part) {
            // Conversations for chat templates have placeholders such as `{type: "image"}`, and
            // pass the image itself to the model separately.
            Some(part) if map.len() == 1 => part(Media::default()),
            Some(part) => part(read_media_map(map)?),
            None => return Err(unknown_part(other).in_name(tag_name)),
        },
    })
}

fn unknown_part(kind: &str) -> Failure {
    let media = RichKind::ALL.into_iter().filter(|kind| kind.is_media());
    let media: Vec<&str> = media.map(RichKind::name).collect();
    Failure::new(format!(
        "unknown part kind `{}`; expected `text`, `{}`, `tool_call`, `tool_result`, `reasoning`, \
         `image_url` or `input_audio`",
        excerpt(kind),
        media.join("`, `")
    ))
}

pub(super) fn read_media(value: &Value) -> Result<Media, Failure> {
    match value {
        Value::String(text) => Ok(Media::new(&**text)),
        Value::Object(map) => read_media_map(map),
        other => Err(expected("a string or an object of `value` and `mediaType`", other)),
    }
}

fn read_media_map(map: &Map) -> Result<Media, Failure> {
    Ok(Media {
        value: required_text(map, &["value", "url", "source"])?.to_owned(),
        media_type: optional_text(map, &["mediaType", "media_type"])?,
        detail: optional_text(map, &["detail"])?,
        name: optional_text(map, &["name"])?,
    })
}

/// `{kind: "file", value, …}`, or a chat API's `{type: "file", file: {url | file_data, filename}}`.
fn read_file(map: &Map) -> Result<Media, Failure> {
    match map.get("file") {
        None => read_media_map(map),
        Some(Value::Object(file)) if file.contains_key("file_data") => {
            let data =
                required_text(file, &["file_data"]).map_err(|cause| cause.in_name("file"))?;
            let name = optional_text(file, &["filename"]).map_err(|cause| cause.in_name("file"))?;
            Ok(Media { name, ..Media::new(data) })
        }
        Some(file) => read_media(file).map_err(|cause| cause.in_name("file")),
    }
}

/// `{image_url: {url, detail}}`, or `{image_url: url, detail}`.
fn read_image_url(map: &Map) -> Result<Media, Failure> {
    let (name, value) = required_entry(map, &["image_url"])?;
    let mut media = read_media(value).map_err(|cause| cause.in_name(name))?;
    if media.detail.is_none() {
        media.detail = optional_text(map, &["detail"])?;
    }
    Ok(media)
}

/// `{input_audio: {data, format}}`.
fn read_input_audio(map: &Map) -> Result<Media, Failure> {
    let (name, value) = required_entry(map, &["input_audio"])?;
    let read = || {
        let audio =
            value.as_object().ok_or_else(|| expected("an object with the key `data`", value))?;
        let format = optional_text(audio, &["format"])?;
        Ok(Media {
            value: required_text(audio, &["data"])?.to_owned(),
            media_type: format.map(|format| match &*format {
                // Its media type has another name than the format.
                "mp3" => "audio/mpeg".to_owned(),
                other => format!("audio/{other}"),
            }),
            ..Media::default()
        })
    };
    read().map_err(|cause: Failure| cause.in_name(name))
}

fn read_tool_calls(value: &Value, content: &mut Content) -> Result<(), Failure> {
    let calls = value.as_array().ok_or_else(|| expected("an array of tool calls", value))?;
    for (index, call) in calls.iter().enumerate() {
        let call = read_tool_call(call).map_err(|cause| cause.in_index(index))?;
        content.push(ContentPart::ToolCall(call));
    }
    Ok(())
}

/// `{id, name, arguments}`, or a chat API's `{id, type, function: {name, arguments}}`.
pub(super) fn read_tool_call(value: &Value) -> Result<ToolCall, Failure> {
    read_call_map(value.as_object().ok_or_else(|| expected("a tool call", value))?)
}

/// Like [`read_tool_call`], for a call that is an object.
fn read_call_map(map: &Map) -> Result<ToolCall, Failure> {
    let id = optional_text(map, &["id"])?.unwrap_or_default();
    let Some((form, called)) = CallForm::read(map) else {
        return read_name_and_arguments(map, CallForm::FUNCTION, id);
    };
    let read = match called {
        Value::Object(called) => read_name_and_arguments(called, form, id),
        other => Err(expected("an object of `name` and `arguments`", other)),
    };
    read.map_err(|cause| cause.in_name(form.kind))
}

/// Reads the name and the arguments of a call.
fn read_name_and_arguments(map: &Map, form: CallForm, id: String) -> Result<ToolCall, Failure> {
    let name = required_text(map, &["name"])?.to_owned();
    // The exact style is needed because a chat template prints `1.0` and `1` differently.
    let arguments = arguments_text(map.get(form.arguments), JsonStyle::EXACT)
        .map_err(|other| expected("JSON text or an object", other).in_name(form.arguments))?;
    let no_arguments = if form.free_text { "" } else { "{}" };
    let arguments = arguments.unwrap_or_else(|| no_arguments.to_owned());
    let free_text = map.get("freeText").and_then(Value::as_bool).unwrap_or(form.free_text);
    let provider = match map.get("provider") {
        None | Some(Value::Null) => None,
        Some(own) => Some(read_provider_fields(own).map_err(|cause| cause.in_name("provider"))?),
    };
    Ok(ToolCall { id, name, arguments, free_text, provider: provider.map(Box::new) })
}

/// `{protocol, fields}`.
fn read_provider_fields(value: &Value) -> Result<ProviderFields, Failure> {
    let map =
        value.as_object().ok_or_else(|| expected("an object of `protocol` and `fields`", value))?;
    let protocol = required_text(map, &["protocol"])?;
    match required_entry(map, &["fields"])? {
        (_, Value::Object(fields)) => Ok(ProviderFields::new(protocol, fields.clone())),
        (name, other) => Err(expected("an object", other).in_name(name)),
    }
}

/// Reads `{callId, name?, isError?, content: [part, …]}`. `depth` is the number of tool results
/// around it.
pub(super) fn read_tool_result(map: &Map, depth: usize) -> Result<ToolResult, Failure> {
    // Each nested tool result adds an array and an object.
    if depth >= MAX_DEPTH / 2 {
        return Err(Failure::too_deep());
    }
    let call_id = required_text(map, &["callId", "call_id", "tool_call_id"])?.to_owned();
    let (name, content) = required_entry(map, &["content", "parts"])?;
    let content = read_parts(content, depth + 1).map_err(|cause| cause.in_name(name))?;
    let name = optional_text(map, &["name"])?.unwrap_or_default();
    let is_error = map.get("isError").and_then(Value::as_bool).unwrap_or(false);
    Ok(ToolResult { call_id, name, content: content.into_vec(), is_error })
}

pub(super) fn expected(what: &str, found: &Value) -> Failure {
    Failure::new(format!("expected {what}, found {}", found.kind_name()))
}

fn expect_text(value: &Value) -> Result<&str, Failure> {
    value.as_str().ok_or_else(|| expected("a string", value))
}

/// The entry of the first name that the map contains.
fn first_entry<'v>(map: &'v Map, names: &[&'static str]) -> Option<(&'static str, &'v Value)> {
    names.iter().find_map(|name| Some((*name, map.get(name)?)))
}

/// Like [`first_entry`]; without an entry, an error that names the first name.
fn required_entry<'v>(
    map: &'v Map,
    names: &[&'static str],
) -> Result<(&'static str, &'v Value), Failure> {
    first_entry(map, names).ok_or_else(|| {
        let name = names.first().copied().unwrap_or_default();
        Failure::new(format!("missing key `{name}`"))
    })
}

fn required_text<'v>(map: &'v Map, names: &[&'static str]) -> Result<&'v str, Failure> {
    let (name, value) = required_entry(map, names)?;
    expect_text(value).map_err(|cause| cause.in_name(name))
}

fn optional_text(map: &Map, names: &[&'static str]) -> Result<Option<String>, Failure> {
    match first_entry(map, names) {
        None | Some((_, Value::Null)) => Ok(None),
        Some(_) => required_text(map, names).map(|text| Some(text.to_owned())),
    }
}
