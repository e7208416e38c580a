//! Writes requests for chat completions (Prompty §7.1).

use std::borrow::Cow;

use prompty_core::message::{
    CallForm, ContentPart, Media, MediaPlace, Message, ProviderPart, Role, ToolCall, ToolChoice,
    ToolResult, ToolSpec, tool_choice_to_openai,
};
use prompty_core::value::{Map, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::parse::OWN_NAMES;
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::write_provider_fields;
use crate::calls::CallIds;
use crate::entries::{Entries, Joined, Number, Parameters, parameters};
use crate::error::{Result, WireError};
use crate::kept::{Form, Place};
use crate::media;
use crate::protocol::Protocol;
use crate::provider_parts;
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The body of a request.
pub(crate) struct ChatBody<'r> {
    request: &'r Request<'r>,
    messages: Vec<ChatMessage<'r>>,
    tools: Vec<Form<'r, ChatTool<'r>>>,
    answer: Option<AnswerForm<'r>>,
}

/// A message as chat completions have it.
#[derive(Default)]
struct ChatMessage<'r> {
    role: &'r str,
    content: Content<'r>,
    calls: Vec<ChatCall<'r>>,
    answers: Option<Cow<'r, str>>,
    reasoning: Option<(&'r str, Cow<'r, str>)>,
    reasoning_details: Option<&'r Value>,
    /// The id of a sound that the model made, by which OpenAI knows it.
    audio: Option<&'r Value>,
    name: Option<&'r Value>,
    prefix: Option<&'r Value>,
    /// What else the message says, where it was read from a body of this protocol.
    more: Option<&'r Map>,
}

#[derive(Default, Serialize)]
#[serde(untagged)]
enum Content<'r> {
    #[default]
    Null,
    Text(Cow<'r, str>),
    Parts(Vec<Part<'r>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'r> {
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
    /// The call as the body has it that it was read from.
    original: Option<&'r Value>,
}

struct ChatTool<'r> {
    tool: &'r ToolSpec,
    parameters: Parameters<'r>,
}

impl<'r> ChatBody<'r> {
    pub(crate) fn new(request: &'r Request<'_>) -> Result<Self> {
        request.check()?;
        request.check_no_budget()?;
        let answer = request.answer_form()?;
        let mut writer = Writer { request, ids: CallIds::new(request), messages: Vec::new() };
        writer.messages.reserve(request.messages.len());
        for (index, message) in request.messages.iter().enumerate() {
            writer.message(index, message).map_err(|error| error.in_message(index))?;
        }
        writer.ids.end()?;
        request.check_messages(writer.messages.is_empty())?;
        let tools = request.tool_forms(|tool| {
            Ok(ChatTool { tool, parameters: parameters(tool, request.protocol)? })
        })?;
        Ok(Self { request, messages: writer.messages, tools, answer })
    }
}

struct Writer<'r> {
    request: &'r Request<'r>,
    ids: CallIds<'r>,
    messages: Vec<ChatMessage<'r>>,
}

impl<'r> Writer<'r> {
    fn message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        self.ids.begin(message)?;
        let is_result = |part: &ContentPart| matches!(part, ContentPart::ToolResult(_));
        if message.role == Role::Assistant && message.content.iter().any(is_result) {
            return Err(WireError::no_part("tool_result", &Role::Assistant));
        }
        let mut has_results = false;
        // The results stand right behind the calls that they answer.
        for (place, part) in message.content.iter().enumerate() {
            if let ContentPart::ToolResult(result) = part {
                has_results = true;
                let result = self.result((index, place), result)?;
                let more = self.request.read_metadata(message);
                self.messages.push(ChatMessage { more, ..result });
            }
        }
        if has_results && message.content.iter().all(is_result) {
            return Ok(());
        }
        let own = match &message.role {
            Role::Assistant => self.assistant(index, message)?,
            Role::Tool => return Err(WireError::no_call_answered()),
            role => self.said(index, role, message)?,
        };
        if message.role != Role::Assistant || own.says_something() {
            self.messages.push(own);
        }
        Ok(())
    }

    /// A message of a person or an operator.
    fn said(
        &mut self,
        index: usize,
        role: &'r Role,
        message: &'r Message,
    ) -> Result<ChatMessage<'r>> {
        let is_known = matches!(role, Role::System | Role::Developer | Role::User);
        if !is_known && self.request.protocol == Protocol::OpenAiChat {
            return Err(WireError::no_role(role));
        }
        let mut own = self.with_metadata(role.as_str(), message);
        own.content = match self.one_text(index, message) {
            Some(text) => text,
            None => {
                let parts = message.content.iter().enumerate();
                let parts = parts.filter(|(_, it)| !matches!(it, ContentPart::ToolResult(_)));
                let parts: Result<Vec<_>, _> = parts
                    .map(|(place, part)| self.part((index, place, None), role, part))
                    .collect();
                Content::new(parts?)
            }
        };
        Ok(own)
    }

    /// The content of a message that is one text, as most are: it needs no list of parts.
    fn one_text(&self, index: usize, message: &'r Message) -> Option<Content<'r>> {
        match &*message.content {
            [ContentPart::Text(text)] if self.request.kept((index, 0, None)).is_none() => {
                Some(Content::Text(Cow::Borrowed(text)))
            }
            _ => None,
        }
    }

    fn assistant(&mut self, index: usize, message: &'r Message) -> Result<ChatMessage<'r>> {
        let mut own = self.with_metadata(Role::Assistant.as_str(), message);
        if let Some(text) = self.one_text(index, message) {
            own.content = text;
            return Ok(own);
        }
        let mut parts = Vec::new();
        for (place, part) in message.content.iter().enumerate() {
            let original = self.request.kept((index, place, None));
            match part {
                ContentPart::Text(text) => {
                    parts.push(original.map_or(Part::Text { text }, Part::Provider));
                }
                ContentPart::ToolCall(call) => {
                    let arguments = self.ids.arguments(call)?;
                    let (id, name) = (self.ids.call(call), self.ids.name(call));
                    own.calls.push(ChatCall { id, name, call, arguments, original });
                }
                ContentPart::Reasoning(text) => {
                    if let Some(name) = self.request.reasoning_field.as_deref() {
                        match &mut own.reasoning {
                            Some((_, reasoning)) => reasoning.to_mut().push_str(text),
                            None => own.reasoning = Some((name, Cow::Borrowed(text))),
                        }
                    }
                }
                ContentPart::Provider(part) => match self.details(part) {
                    Some(details) => own.reasoning_details = Some(details),
                    // A sound or an image that the model made is a field of its message. OpenAI takes the id of a
                    // sound, and no request takes more.
                    None if matches!(part.kind(), Some("audio" | "images")) => {
                        own.audio = own.audio.or_else(|| self.sound(part));
                    }
                    None if part.protocol == PROTOCOL => {
                        provider_parts::map(part)?;
                        parts.push(Part::Provider(&part.value));
                    }
                    None => {}
                },
                ContentPart::ToolResult(_) => {}
                media => return Err(WireError::no_part(media.kind(), &Role::Assistant)),
            }
        }
        let says_more = !own.calls.is_empty() || own.audio.is_some();
        own.content = match parts.is_empty() && says_more {
            true => Content::Null,
            false => Content::new(parts),
        };
        Ok(own)
    }

    /// The reasoning in the provider's own form, which servers other than OpenAI's have.
    fn details(&self, part: &'r ProviderPart) -> Option<&'r Value> {
        let is_known = part.protocol == PROTOCOL && part.kind() == Some("reasoning_details");
        part.value.get("reasoning_details").filter(|_| is_known)
    }

    /// The id of a sound that the model made. A message out of a body says it beside its parts.
    fn sound(&self, part: &'r ProviderPart) -> Option<&'r Value> {
        let is_known = part.protocol == PROTOCOL && self.request.protocol == Protocol::OpenAiChat;
        let id = part.value.get("audio")?.get("id")?;
        Some(id).filter(|id| is_known && !self.request.is_own_body() && id.as_str().is_some())
    }

    fn result(
        &mut self,
        (index, place): (usize, usize),
        result: &'r ToolResult,
    ) -> Result<ChatMessage<'r>> {
        let id = self.ids.result(result)?;
        let parts = result.content.iter().enumerate();
        let texts: Result<Vec<_>, _> = parts
            .map(|(inner, part)| self.part((index, place, Some(inner)), &Role::Tool, part))
            .collect();
        let (role, content) = (Role::Tool.as_str(), Content::new(texts?));
        Ok(ChatMessage { role, content, answers: Some(id), ..ChatMessage::default() })
    }

    fn part(&self, place: Place, role: &Role, part: &'r ContentPart) -> Result<Part<'r>> {
        if let Some(original) = self.request.kept(place) {
            return Ok(Part::Provider(original));
        }
        match part {
            ContentPart::Text(text) => Ok(Part::Text { text }),
            ContentPart::Provider(part) => {
                let of_model = ["reasoning_details", "audio", "images", "refusal", "thinking"];
                let may_send = |kind: &str| !of_model.contains(&kind);
                provider_parts::said_by(role, part, PROTOCOL, may_send).map(Part::Provider)
            }
            ContentPart::Image(media) if *role == Role::User => image(media),
            ContentPart::Audio(media) if *role == Role::User => audio(media),
            ContentPart::File(media) if *role == Role::User => file(media),
            other => Err(WireError::no_part(other.kind(), role)),
        }
    }

    /// A message with what of its metadata this protocol takes.
    fn with_metadata(&self, role: &'r str, message: &'r Message) -> ChatMessage<'r> {
        let mut own = ChatMessage { role, ..ChatMessage::default() };
        own.name = message.metadata.get("name").filter(|name| name.as_str().is_some());
        if self.request.protocol == Protocol::OpenAiCompatible {
            own.prefix = message.metadata.get("prefix").filter(|it| it.as_bool().is_some());
        }
        own.more = self.request.read_metadata(message);
        own
    }
}

fn image(media: &Media) -> Result<Part<'_>> {
    let (url, detail) = (media::url(media)?, media::detail(media));
    Ok(Part::ImageUrl { image_url: ImageUrl { url, detail } })
}

fn audio(media: &Media) -> Result<Part<'_>> {
    match media.place()? {
        MediaPlace::Data { media_type: Some(media_type), base64 } => {
            let format = media::audio_format(media_type);
            Ok(Part::InputAudio { input_audio: InputAudio { data: base64, format } })
        }
        MediaPlace::Data { media_type: None, .. } => {
            Err(WireError::unsupported("the MIME type of a sound is not known")
                .with_help("give it: `Media::from_bytes(bytes, \"audio/wav\")`"))
        }
        _ => Err(WireError::unsupported("chat completions take no URL of a sound")
            .with_help("send the sound itself: `Media::from_bytes(bytes, \"audio/wav\")`")),
    }
}

fn file(media: &Media) -> Result<Part<'_>> {
    match media.place()? {
        MediaPlace::Data { .. } => {
            let filename = media.name.as_deref().unwrap_or("file");
            Ok(Part::File { file: InputFile { filename, file_data: media.to_url()? } })
        }
        _ => Err(WireError::unsupported("chat completions take no URL of a file").with_help(
            "send the file itself, `Media::from_bytes(bytes, \"application/pdf\")`, or use the \
             responses API",
        )),
    }
}

impl ChatMessage<'_> {
    /// Whether a message of the model says anything. Servers refuse one that does not.
    fn says_something(&self) -> bool {
        let is_empty = match &self.content {
            Content::Null => true,
            Content::Text(text) => text.is_empty(),
            Content::Parts(parts) => parts.is_empty(),
        };
        !is_empty
            || !self.calls.is_empty()
            || self.reasoning.is_some()
            || self.reasoning_details.is_some()
            || self.audio.is_some()
            || self.more.is_some_and(|more| !more.is_empty())
    }
}

impl<'r> Content<'r> {
    /// One text is written as such (Prompty §7.1.1).
    fn new(parts: Vec<Part<'r>>) -> Self {
        match parts.as_slice() {
            [] => Self::Text(Cow::Borrowed("")),
            [Part::Text { text }] => Self::Text(Cow::Borrowed(text)),
            _ => Self::Parts(parts),
        }
    }
}

impl Serialize for ChatBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, messages, tools, answer } = self;
        let options = &request.options;
        let mut body = Entries::new(serializer.serialize_map(None)?);
        body.put("model", &*request.model)?;
        body.put("messages", messages)?;
        body.put_set("temperature", options.temperature.map(Number))?;
        let limit = match request.protocol == Protocol::OpenAiCompatible {
            true => "max_tokens",
            false => "max_completion_tokens",
        };
        body.put_set(limit, options.max_output_tokens)?;
        body.put_set("top_p", options.top_p.map(Number))?;
        body.put_set("frequency_penalty", options.frequency_penalty.map(Number))?;
        body.put_set("presence_penalty", options.presence_penalty.map(Number))?;
        body.put_set("seed", options.seed)?;
        body.put_list("stop", &options.stop_sequences)?;
        if !tools.is_empty() || !request.provider_tools.is_empty() {
            body.put("tools", &Joined(tools, &request.provider_tools))?;
            let choice = (request.tool_choice != ToolChoice::Auto).then_some(&request.tool_choice);
            body.put_set("tool_choice", choice.map(tool_choice_to_openai))?;
            body.put_set("parallel_tool_calls", options.allow_multiple_tool_calls)?;
        }
        body.put_set("response_format", answer.as_ref().map(format))?;
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

fn format<'r>(answer: &'r AnswerForm<'_>) -> Format<'r> {
    match answer {
        AnswerForm::Json => Format::JsonObject,
        AnswerForm::Schema { name, description, schema, strict } => {
            let (description, strict) = (*description, *strict);
            Format::JsonSchema { json_schema: NamedSchema { name, description, strict, schema } }
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'r> {
    JsonObject,
    JsonSchema { json_schema: NamedSchema<'r> },
}

#[derive(Serialize)]
struct NamedSchema<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'r str>,
    strict: bool,
    schema: &'r Value,
}

impl Serialize for ChatMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_map(None)?;
        message.serialize_entry("role", self.role)?;
        message.serialize_entry("content", &self.content)?;
        if !self.calls.is_empty() {
            message.serialize_entry("tool_calls", &self.calls)?;
        }
        if let Some(id) = &self.answers {
            message.serialize_entry("tool_call_id", id)?;
        }
        let others = [
            ("name", self.name),
            ("prefix", self.prefix),
            ("reasoning_details", self.reasoning_details),
        ];
        for (name, value) in others {
            if let Some(value) = value {
                message.serialize_entry(name, value)?;
            }
        }
        if let Some((name, text)) = &self.reasoning {
            message.serialize_entry(name, text)?;
        }
        if let Some(id) = self.audio {
            message.serialize_entry("audio", &Sound { id })?;
        }
        for (name, value) in self.more.into_iter().flat_map(Map::iter) {
            let is_written = others.iter().any(|(own, value)| *own == name && value.is_some());
            if !is_written && !OWN_NAMES.contains(&name) && !value.is_null() {
                message.serialize_entry(name, value)?;
            }
        }
        message.end()
    }
}

/// A sound that the provider keeps.
#[derive(Serialize)]
struct Sound<'r> {
    id: &'r Value,
}

/// A tool that is called, and its arguments.
struct CalledTool<'r> {
    form: CallForm,
    name: &'r str,
    arguments: &'r str,
}

#[derive(Serialize)]
struct Function<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'r str>,
    parameters: &'r Parameters<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

impl Serialize for ChatCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, name, call, arguments, original } = self;
        if let Some(original) = original {
            return original.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        let form = CallForm::of(call);
        map.serialize_entry("type", form.kind)?;
        map.serialize_entry(form.kind, &CalledTool { form, name, arguments })?;
        write_provider_fields(&mut map, call, PROTOCOL, CALL_FIELDS)?;
        map.end()
    }
}

impl Serialize for CalledTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("name", self.name)?;
        map.serialize_entry(self.form.arguments, self.arguments)?;
        map.end()
    }
}

impl Serialize for ChatTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { tool, parameters } = self;
        let function = Function {
            name: &tool.name,
            description: tool.description.as_deref(),
            parameters,
            strict: parameters.strict_if_so(),
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &function)?;
        map.end()
    }
}
