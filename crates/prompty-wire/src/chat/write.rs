//! Writes requests for chat completions (Prompty §7.1).

use std::borrow::Cow;
use std::collections::BTreeMap;

use prompty_core::message::{
    CallForm, ContentPart, Media, MediaPlace, Message, ProviderPart, Role, ToolCall, ToolChoice,
    ToolResult, tool_choice_to_openai,
};
use prompty_core::value::{Map, Value};
use serde::{Serialize, Serializer};

use super::parse::OWN_NAMES;
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::written_fields;
use crate::call_ids::CallIds;
use crate::entries::{EntryWriter, JsonNumber, ToolFunction, tool_parameters};
use crate::error::{Result, WireError};
use crate::media;
use crate::originals::{PartPlace, WrittenForm};
use crate::protocol::Protocol;
use crate::provider_parts;
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The body of a request.
pub(crate) struct ChatBody<'r> {
    request: &'r Request<'r>,
    messages: Vec<ChatMessage<'r>>,
    tools: Vec<WrittenForm<'r, ChatTool<'r>>>,
    answer: Option<AnswerForm<'r>>,
}

/// A message in the form of chat completions.
#[derive(Default)]
struct ChatMessage<'r> {
    role: &'r str,
    content: ChatContent<'r>,
    calls: Vec<ChatCall<'r>>,
    call_id: Option<Cow<'r, str>>,
    reasoning: Option<(&'r str, Cow<'r, str>)>,
    reasoning_details: Option<&'r Value>,
    /// The id of audio that the model generated. OpenAI stores the audio under this id.
    audio: Option<&'r Value>,
    name: Option<&'r Value>,
    prefix: Option<&'r Value>,
    /// The other fields of the message, if it was read from a body of this protocol.
    more: Option<&'r Map>,
}

#[derive(Default, Serialize)]
#[serde(untagged)]
enum ChatContent<'r> {
    #[default]
    Null,
    Text(Cow<'r, str>),
    Parts(Vec<ChatPart<'r>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChatPart<'r> {
    Text {
        text: &'r str,
    },
    ImageUrl {
        image_url: ImageUrl<'r>,
    },
    InputAudio {
        input_audio: InputAudio<'r>,
    },
    File {
        file: InputFile<'r>,
    },
    #[serde(untagged)]
    Provider(&'r Value),
}

#[derive(Serialize)]
struct ImageUrl<'r> {
    url: Cow<'r, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'r str>,
}

#[derive(Serialize)]
struct InputAudio<'r> {
    data: Cow<'r, str>,
    format: Cow<'r, str>,
}

#[derive(Serialize)]
struct InputFile<'r> {
    filename: &'r str,
    file_data: String,
}

struct ChatCall<'r> {
    id: Cow<'r, str>,
    name: Cow<'r, str>,
    call: &'r ToolCall,
    arguments: &'r str,
    /// The original JSON of the call.
    original: Option<&'r Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChatTool<'r> {
    Function { function: ToolFunction<'r> },
}

impl<'r> ChatBody<'r> {
    pub(crate) fn new(request: &'r Request<'_>) -> Result<Self> {
        request.check()?;
        request.check_no_budget()?;
        let answer = request.answer_form()?;
        let mut writer = ChatWriter { request, ids: CallIds::new(request), messages: Vec::new() };
        writer.messages.reserve(request.messages.len());
        for (index, message) in request.messages.iter().enumerate() {
            writer.add_message(index, message).map_err(|error| error.in_message(index))?;
        }
        writer.ids.end_conversation()?;
        request.check_messages(writer.messages.is_empty())?;
        let tools = request.tool_forms(|tool| {
            let parameters = tool_parameters(tool, request.protocol)?;
            let strict = parameters.strict_if_on();
            Ok(ChatTool::Function { function: ToolFunction::new(tool, parameters, strict) })
        })?;
        Ok(Self { request, messages: writer.messages, tools, answer })
    }
}

struct ChatWriter<'r> {
    request: &'r Request<'r>,
    ids: CallIds<'r>,
    messages: Vec<ChatMessage<'r>>,
}

impl<'r> ChatWriter<'r> {
    /// Adds a message, and the results in it as messages before it.
    fn add_message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        self.ids.begin_message(message)?;
        let is_result = |part: &ContentPart| matches!(part, ContentPart::ToolResult(_));
        if message.role == Role::Assistant && message.content.iter().any(is_result) {
            return Err(WireError::unsupported_part("tool_result", &Role::Assistant));
        }
        let mut has_results = false;
        // The results directly follow the calls that they answer.
        for (place, part) in message.content.iter().enumerate() {
            if let ContentPart::ToolResult(result) = part {
                has_results = true;
                let result = self.result_message((index, place), result)?;
                let more = self.request.own_metadata(message);
                self.messages.push(ChatMessage { more, ..result });
            }
        }
        if has_results && message.content.iter().all(is_result) {
            return Ok(());
        }
        let written = match &message.role {
            Role::Assistant => self.model_message(index, message)?,
            Role::Tool => return Err(WireError::missing_call_id()),
            _ => self.input_message(index, message)?,
        };
        if message.role != Role::Assistant || written.has_content() {
            self.messages.push(written);
        }
        Ok(())
    }

    /// Converts a message of the user or the system.
    fn input_message(&mut self, index: usize, message: &'r Message) -> Result<ChatMessage<'r>> {
        let role = &message.role;
        let is_known = matches!(role, Role::System | Role::Developer | Role::User);
        if !is_known && self.request.protocol == Protocol::OpenAiChat {
            return Err(WireError::unknown_role(role));
        }
        let mut written = self.with_metadata(role.as_str(), message);
        written.content = match self.single_text(index, message) {
            Some(text) => text,
            None => {
                let parts = message.content.iter().enumerate();
                let parts = parts.filter(|(_, it)| !matches!(it, ContentPart::ToolResult(_)));
                let parts: Result<Vec<_>, _> = parts
                    .map(|(place, part)| self.part((index, place, None), role, part))
                    .collect();
                ChatContent::new(parts?)
            }
        };
        Ok(written)
    }

    /// The content of a message with a single text, as most are. It needs no list of parts.
    fn single_text(&self, index: usize, message: &'r Message) -> Option<ChatContent<'r>> {
        match &*message.content {
            [ContentPart::Text(text)] if self.request.original((index, 0, None)).is_none() => {
                Some(ChatContent::Text(Cow::Borrowed(text)))
            }
            _ => None,
        }
    }

    /// Converts a message of the model.
    fn model_message(&mut self, index: usize, message: &'r Message) -> Result<ChatMessage<'r>> {
        let mut written = self.with_metadata(Role::Assistant.as_str(), message);
        if let Some(text) = self.single_text(index, message) {
            written.content = text;
            return Ok(written);
        }
        let mut parts = Vec::new();
        for (place, part) in message.content.iter().enumerate() {
            let original = self.request.original((index, place, None));
            match part {
                ContentPart::Text(text) => {
                    parts.push(original.map_or(ChatPart::Text { text }, ChatPart::Provider));
                }
                ContentPart::ToolCall(call) => {
                    let arguments = self.ids.arguments(call)?;
                    let (id, name) = (self.ids.register_call(call), self.ids.name(call));
                    written.calls.push(ChatCall { id, name, call, arguments, original });
                }
                ContentPart::Reasoning(text) => {
                    if let Some(name) = self.request.reasoning_field.as_deref() {
                        match &mut written.reasoning {
                            Some((_, reasoning)) => reasoning.to_mut().push_str(text),
                            None => written.reasoning = Some((name, Cow::Borrowed(text))),
                        }
                    }
                }
                ContentPart::Provider(part) => match self.reasoning_details(part) {
                    Some(details) => written.reasoning_details = Some(details),
                    // Audio or an image that the model generated is a field of
                    // its message. OpenAI accepts the id of audio; no request
                    // accepts more.
                    None if matches!(part.kind(), Some("audio" | "images")) => {
                        written.audio = written.audio.or_else(|| self.audio_id(part));
                    }
                    None if part.protocol == PROTOCOL => {
                        provider_parts::object_of(part)?;
                        parts.push(ChatPart::Provider(&part.value));
                    }
                    None => {}
                },
                ContentPart::ToolResult(_) => {}
                media => return Err(WireError::unsupported_part(media.kind(), &Role::Assistant)),
            }
        }
        let has_more = !written.calls.is_empty() || written.audio.is_some();
        written.content = match parts.is_empty() && has_more {
            true => ChatContent::Null,
            false => ChatContent::new(parts),
        };
        Ok(written)
    }

    /// The reasoning in the provider's own form, which servers other than OpenAI's use.
    fn reasoning_details(&self, part: &'r ProviderPart) -> Option<&'r Value> {
        let is_known = part.protocol == PROTOCOL && part.kind() == Some("reasoning_details");
        part.value.get("reasoning_details").filter(|_| is_known)
    }

    /// The id of audio that the model generated. A message from a body has it in its other fields.
    fn audio_id(&self, part: &'r ProviderPart) -> Option<&'r Value> {
        let is_known = part.protocol == PROTOCOL && self.request.protocol == Protocol::OpenAiChat;
        let id = part.value.get("audio")?.get("id")?;
        Some(id)
            .filter(|id| is_known && !self.request.is_from_own_protocol() && id.as_str().is_some())
    }

    /// Converts the result of a call.
    fn result_message(
        &mut self,
        (index, place): (usize, usize),
        result: &'r ToolResult,
    ) -> Result<ChatMessage<'r>> {
        let id = self.ids.register_result(result)?;
        let parts = result.content.iter().enumerate();
        let texts: Result<Vec<_>, _> = parts
            .map(|(inner, part)| self.part((index, place, Some(inner)), &Role::Tool, part))
            .collect();
        let (role, content) = (Role::Tool.as_str(), ChatContent::new(texts?));
        Ok(ChatMessage { role, content, call_id: Some(id), ..ChatMessage::default() })
    }

    /// Converts a part of the user, the system or a tool, unless its original JSON is kept.
    fn part(&self, place: PartPlace, role: &Role, part: &'r ContentPart) -> Result<ChatPart<'r>> {
        if let Some(original) = self.request.original(place) {
            return Ok(ChatPart::Provider(original));
        }
        match part {
            ContentPart::Text(text) => Ok(ChatPart::Text { text }),
            ContentPart::Provider(part) => {
                let of_model = ["reasoning_details", "audio", "images", "refusal", "thinking"];
                let may_send = |kind: &str| !of_model.contains(&kind);
                provider_parts::part_for_role(role, part, PROTOCOL, may_send)
                    .map(ChatPart::Provider)
            }
            ContentPart::Image(media) if *role == Role::User => image_part(media),
            ContentPart::Audio(media) if *role == Role::User => audio_part(media),
            ContentPart::File(media) if *role == Role::User => file_part(media),
            other => Err(WireError::unsupported_part(other.kind(), role)),
        }
    }

    /// A message with the metadata that this protocol accepts.
    fn with_metadata(&self, role: &'r str, message: &'r Message) -> ChatMessage<'r> {
        let mut written = ChatMessage { role, ..ChatMessage::default() };
        written.name = message.metadata.get("name").filter(|name| name.as_str().is_some());
        if self.request.protocol == Protocol::OpenAiCompatible {
            written.prefix = message.metadata.get("prefix").filter(|it| it.as_bool().is_some());
        }
        written.more = self.request.own_metadata(message);
        written
    }
}

fn image_part(media: &Media) -> Result<ChatPart<'_>> {
    let (url, detail) = (media::url(media)?, media::detail(media));
    Ok(ChatPart::ImageUrl { image_url: ImageUrl { url, detail } })
}

fn audio_part(media: &Media) -> Result<ChatPart<'_>> {
    match media.place()? {
        MediaPlace::Data { media_type: Some(media_type), base64 } => {
            let format = media::audio_format(media_type);
            Ok(ChatPart::InputAudio { input_audio: InputAudio { data: base64, format } })
        }
        MediaPlace::Data { media_type: None, .. } => {
            Err(WireError::unsupported("the MIME type of the audio is unknown")
                .with_help("set it: `Media::from_bytes(bytes, \"audio/wav\")`"))
        }
        _ => Err(WireError::unsupported("chat completions do not support audio URLs")
            .with_help("send the audio itself: `Media::from_bytes(bytes, \"audio/wav\")`")),
    }
}

fn file_part(media: &Media) -> Result<ChatPart<'_>> {
    match media.place()? {
        MediaPlace::Data { .. } => {
            let filename = media.name.as_deref().unwrap_or("file");
            Ok(ChatPart::File { file: InputFile { filename, file_data: media.to_url()? } })
        }
        _ => Err(WireError::unsupported("chat completions do not support file URLs").with_help(
            "send the file itself, `Media::from_bytes(bytes, \"application/pdf\")`, or use the \
             responses API",
        )),
    }
}

impl ChatMessage<'_> {
    /// Whether a message of the model has content. Servers refuse empty ones.
    fn has_content(&self) -> bool {
        let is_empty = match &self.content {
            ChatContent::Null => true,
            ChatContent::Text(text) => text.is_empty(),
            ChatContent::Parts(parts) => parts.is_empty(),
        };
        !is_empty
            || !self.calls.is_empty()
            || self.reasoning.is_some()
            || self.reasoning_details.is_some()
            || self.audio.is_some()
            || self.more.is_some_and(|more| !more.is_empty())
    }
}

impl<'r> ChatContent<'r> {
    /// A single text is written as a string (Prompty §7.1.1).
    fn new(parts: Vec<ChatPart<'r>>) -> Self {
        match parts.as_slice() {
            [] => Self::Text(Cow::Borrowed("")),
            [ChatPart::Text { text }] => Self::Text(Cow::Borrowed(text)),
            _ => Self::Parts(parts),
        }
    }
}

impl Serialize for ChatBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, messages, tools, answer } = self;
        let options = &request.options;
        let mut body = EntryWriter::new(serializer.serialize_map(None)?);
        body.put("model", &*request.model)?;
        body.put("messages", messages)?;
        body.put_set("temperature", options.temperature.map(JsonNumber))?;
        let limit = match request.protocol == Protocol::OpenAiCompatible {
            true => "max_tokens",
            false => "max_completion_tokens",
        };
        body.put_set(limit, options.max_output_tokens)?;
        body.put_set("top_p", options.top_p.map(JsonNumber))?;
        body.put_set("frequency_penalty", options.frequency_penalty.map(JsonNumber))?;
        body.put_set("presence_penalty", options.presence_penalty.map(JsonNumber))?;
        body.put_set("seed", options.seed)?;
        body.put_list("stop", &options.stop_sequences)?;
        if !tools.is_empty() {
            body.put("tools", tools)?;
            let choice = (request.tool_choice != ToolChoice::Auto).then_some(&request.tool_choice);
            body.put_set("tool_choice", choice.map(tool_choice_to_openai))?;
            body.put_set("parallel_tool_calls", options.allow_multiple_tool_calls)?;
        }
        body.put_set("response_format", answer.as_ref().map(chat_format))?;
        if let Some(reasoning) = &request.reasoning {
            let off = (reasoning.is_on == Some(false)).then_some("none");
            body.put_set("reasoning_effort", reasoning.effort.as_deref().or(off))?;
        }
        if let Some(cache) = &request.prompt_cache {
            body.put_set("prompt_cache_key", cache.key.as_deref())?;
            body.put_set("prompt_cache_retention", cache.time.as_deref())?;
        }
        if request.is_streaming {
            body.put("stream", &true)?;
            if !request.additional().contains_key("stream_options") {
                body.put("stream_options", &Map::from([("include_usage", true)]))?;
            }
        }
        body.end(request.additional_entries())
    }
}

fn chat_format(answer: &AnswerForm<'_>) -> Map {
    let mut format = Map::from([("type", answer.kind())]);
    if let Some(schema) = answer.named_schema() {
        format.insert("json_schema", schema);
    }
    format
}

impl Serialize for ChatMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = EntryWriter::new(serializer.serialize_map(None)?);
        message.put("role", self.role)?;
        message.put("content", &self.content)?;
        message.put_list("tool_calls", &self.calls)?;
        message.put_set("tool_call_id", self.call_id.as_ref())?;
        message.put_set("name", self.name)?;
        message.put_set("prefix", self.prefix)?;
        message.put_set("reasoning_details", self.reasoning_details)?;
        if let Some((name, text)) = &self.reasoning {
            message.put(name, text)?;
        }
        message.put_set("audio", self.audio.map(|id| BTreeMap::from([("id", id)])))?;
        let more = self.more.into_iter().flat_map(Map::iter);
        message.end(more.filter(|(name, value)| !OWN_NAMES.contains(name) && !value.is_null()))
    }
}

/// The name and the arguments of a call.
struct CalledTool<'r> {
    form: CallForm,
    name: &'r str,
    arguments: &'r str,
}

impl Serialize for ChatCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, name, call, arguments, original } = self;
        if let Some(original) = original {
            return original.serialize(serializer);
        }
        let mut entries = EntryWriter::new(serializer.serialize_map(None)?);
        entries.put("id", id)?;
        let form = CallForm::of(call);
        entries.put("type", form.kind)?;
        entries.put(form.kind, &CalledTool { form, name, arguments })?;
        entries.end(written_fields(call, PROTOCOL, CALL_FIELDS))
    }
}

impl Serialize for CalledTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("name", self.name), (self.form.arguments, self.arguments)])
    }
}
