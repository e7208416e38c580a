//! Writes requests for Anthropic's messages (Prompty §7).

use std::borrow::Cow;

use prompty_core::message::{ContentPart, Media, MediaPlace, Message, Role, ToolCall, ToolResult};
use prompty_core::value::internal::json::replace_lone_surrogates;
use prompty_core::value::{Map, Value};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::options::{self, ThinkingMode, choice, max_tokens, output_config};
use super::strict_limits::{self, StrictTotals};
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::written_fields;
use crate::call_ids::{CallIds, arguments_not_object, arguments_object};
use crate::entries::{
    EntryWriter, JsonNumber, ToolParameters, join_texts, message_text, tool_parameters,
};
use crate::error::{Result, WireError};
use crate::originals::{PartPlace, WrittenForm};
use crate::protocol::Protocol;
use crate::provider_parts::{self, is_result};
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The body of a request.
pub(crate) struct AnthropicBody<'r> {
    request: &'r Request<'r>,
    system: Option<SystemContent<'r>>,
    messages: Vec<RequestTurn<'r>>,
    tools: Vec<WrittenForm<'r, AnthropicTool<'r>>>,
    answer: Option<AnswerForm<'r>>,
}

/// The system texts: joined, or as blocks if one of them has a cache control.
#[derive(Serialize)]
#[serde(untagged)]
enum SystemContent<'r> {
    Text(Cow<'r, str>),
    Blocks(Vec<RequestBlock<'r>>),
}

#[derive(Serialize)]
struct RequestTurn<'r> {
    role: &'r str,
    content: Vec<RequestBlock<'r>>,
}

/// A block, and its cache control.
struct RequestBlock<'r> {
    kind: BlockContent<'r>,
    cache_control: Option<&'r Value>,
}

enum BlockContent<'r> {
    Text(Cow<'r, str>),
    Media { kind: &'static str, source: MediaSource<'r>, name: Option<&'r str> },
    Call { id: Cow<'r, str>, name: Cow<'r, str>, call: &'r ToolCall, input: Cow<'r, RawValue> },
    Result { id: Cow<'r, str>, content: Vec<RequestBlock<'r>>, is_error: bool },
    Provider(&'r Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum MediaSource<'r> {
    Base64 { media_type: &'r str, data: Cow<'r, str> },
    Url { url: &'r str },
    Text { media_type: &'static str, data: String },
}

#[derive(Serialize)]
struct AnthropicTool<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'r str>,
    input_schema: ToolParameters<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

impl<'r> AnthropicBody<'r> {
    pub(crate) fn new(request: &'r Request<'_>) -> Result<Self> {
        request.check()?;
        options::check(request)?;
        let answer = request.answer_form()?;
        if matches!(answer, Some(AnswerForm::Json)) {
            return Err(WireError::unsupported(
                "the protocol does not support JSON without a schema",
            )
            .with_help("set a schema: `request.with_output::<T>()`"));
        }
        let mut writer = AnthropicWriter {
            request,
            ids: CallIds::new(request),
            system: Vec::new(),
            turns: Vec::with_capacity(request.messages.len()),
            ends_with_results: false,
        };
        for (index, message) in request.messages.iter().enumerate() {
            writer.add_message(index, message).map_err(|it| it.in_message(index))?;
        }
        writer.ids.end_conversation()?;
        request.check_messages(writer.turns.is_empty())?;
        writer.check_last_turn()?;
        let mut totals = match &answer {
            Some(AnswerForm::Schema { schema, .. }) => StrictTotals::of(schema),
            _ => StrictTotals::default(),
        };
        let tools = request.tool_forms(|tool| {
            strict_limits::check_names(tool)?;
            let parameters = totals.limit_strict(tool, tool_parameters(tool, request.protocol)?);
            let description = tool.description.as_deref();
            let strict = parameters.strict_if_on();
            Ok(AnthropicTool { name: &tool.name, description, input_schema: parameters, strict })
        })?;
        Ok(Self { request, system: writer.system_content(), messages: writer.turns, tools, answer })
    }
}

struct AnthropicWriter<'r> {
    request: &'r Request<'r>,
    ids: CallIds<'r>,
    system: Vec<RequestBlock<'r>>,
    turns: Vec<RequestTurn<'r>>,
    /// Whether the last turn contains only results of tools.
    ends_with_results: bool,
}

impl<'r> AnthropicWriter<'r> {
    fn add_message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        self.ids.begin_message(message)?;
        let is_text = message.content.iter().all(|part| matches!(part, ContentPart::Text(_)));
        let stays_in_place = self.request.keeps_system && !self.turns.is_empty();
        match &message.role {
            Role::System | Role::Developer if !stays_in_place && is_text => {
                self.add_system_text(index, message);
                Ok(())
            }
            Role::System | Role::Developer => {
                let blocks = message.content.iter().enumerate();
                let blocks = blocks
                    .map(|(place, part)| self.part((index, place, None), part, &Role::System));
                let content = blocks.collect::<Result<_, _>>()?;
                match stays_in_place {
                    true => self.push_turn(Role::System.as_str(), content, message),
                    false => self.system.extend(without_blank_texts(content, message)),
                }
                Ok(())
            }
            Role::Assistant => self.add_model_turn(index, message),
            Role::User => self.add_user_turn(index, message),
            Role::Tool => self.add_results(index, message),
            role => Err(WireError::unknown_role(role)),
        }
    }

    /// Empty turns are left out. Without the last user message, the model would continue its own
    /// text.
    fn check_last_turn(&self) -> Result<()> {
        let is_turn = |message: &&Message| !matches!(message.role, Role::System | Role::Developer);
        let last_role = self.request.messages.iter().rfind(is_turn).map(|last| &last.role);
        let last = self.turns.last().map(|turn| turn.role);
        if last_role != Some(&Role::User) || last != Some(Role::Assistant.as_str()) {
            return Ok(());
        }
        Err(WireError::unsupported("the last user message is empty")
            .with_help("add text to it, or remove it"))
    }

    /// The system texts that were collected: one text, or blocks if one has a cache control.
    fn system_content(&mut self) -> Option<SystemContent<'r>> {
        let blocks = std::mem::take(&mut self.system);
        let text = |block: &RequestBlock<'r>| match &block.kind {
            BlockContent::Text(text) if block.cache_control.is_none() => Some(text.clone()),
            _ => None,
        };
        match blocks.iter().map(text).collect() {
            Some(texts) => join_texts(texts).map(SystemContent::Text),
            None => Some(SystemContent::Blocks(blocks)),
        }
    }

    /// Adds a system text before the conversation.
    fn add_system_text(&mut self, index: usize, message: &'r Message) {
        let text = message_text(message);
        if is_blank(&text) {
            return;
        }
        let kind = match (&*message.content, self.request.original((index, 0, None))) {
            ([_], Some(original)) => BlockContent::Provider(original),
            _ => BlockContent::Text(text),
        };
        self.system.push(RequestBlock { kind, cache_control: cache_control(message) });
    }

    /// Converts a part of the user, the system or a tool, unless its original JSON is kept.
    fn part(
        &self,
        place: PartPlace,
        part: &'r ContentPart,
        role: &Role,
    ) -> Result<RequestBlock<'r>> {
        match self.request.original(place) {
            Some(original) => Ok(BlockContent::Provider(original).into()),
            None => input_part(part, role, self.request.is_from_own_protocol()),
        }
    }

    /// Adds a turn, unless it has no blocks, because the provider refuses empty turns.
    fn push_turn(&mut self, role: &'r str, content: Vec<RequestBlock<'r>>, message: &'r Message) {
        let content = without_blank_texts(content, message);
        if content.is_empty() {
            return;
        }
        self.ends_with_results = false;
        self.turns.push(RequestTurn { role, content });
    }

    /// Adds a message of the user.
    fn add_user_turn(&mut self, index: usize, message: &'r Message) -> Result<()> {
        // Results must precede all other parts.
        let (mut content, mut others) = (Vec::with_capacity(message.content.len()), Vec::new());
        for (place, part) in message.content.iter().enumerate() {
            match self.result_block((index, place), part)? {
                Some(result) => content.push(result),
                None => others.push(self.part((index, place, None), part, &Role::User)?),
            }
        }
        content.extend(others);
        self.push_turn(Role::User.as_str(), content, message);
        Ok(())
    }

    /// The block of a part that is a result, including results in the provider's own form.
    fn result_block(
        &mut self,
        (index, place): (usize, usize),
        part: &'r ContentPart,
    ) -> Result<Option<RequestBlock<'r>>> {
        match part {
            ContentPart::ToolResult(result) => self.tool_result((index, place), result).map(Some),
            ContentPart::Provider(result) if is_result(result, Protocol::AnthropicMessages) => {
                if let Some(id) = result.value.get("tool_use_id").and_then(Value::as_str) {
                    self.ids.register_provider_result(id)?;
                }
                self.part((index, place, None), part, &Role::User).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Adds results. The results of one turn's calls must be in one message.
    fn add_results(&mut self, index: usize, message: &'r Message) -> Result<()> {
        if message.content.is_empty() {
            return Err(WireError::missing_call_id());
        }
        let mut results = Vec::with_capacity(message.content.len());
        for (place, part) in message.content.iter().enumerate() {
            match (self.result_block((index, place), part)?, part) {
                (Some(result), _) => results.push(result),
                (None, ContentPart::Provider(part)) if part.protocol != PROTOCOL => {
                    return Err(WireError::foreign_part(part));
                }
                _ => return Err(WireError::missing_call_id()),
            }
        }
        match self.turns.last_mut().filter(|_| self.ends_with_results) {
            Some(turn) => {
                turn.content.extend(results);
                if let (Some(cache), Some(last)) = (cache_control(message), turn.content.last_mut())
                {
                    last.cache_control = Some(cache);
                }
            }
            None => self.push_turn(Role::User.as_str(), results, message),
        }
        self.ends_with_results = true;
        Ok(())
    }

    /// Converts the result of a call.
    fn tool_result(
        &mut self,
        (index, place): (usize, usize),
        result: &'r ToolResult,
    ) -> Result<RequestBlock<'r>> {
        let id = self.ids.register_result(result)?;
        if let Some(original) = self.request.original((index, place, None)) {
            return Ok(BlockContent::Provider(original).into());
        }
        let content = result.content.iter().enumerate();
        let content =
            content.map(|(inner, part)| self.part((index, place, Some(inner)), part, &Role::User));
        let mut content = content.collect::<Result<Vec<_>, _>>()?;
        content.retain(has_content);
        Ok(BlockContent::Result { id, content, is_error: result.is_error }.into())
    }

    /// Adds a message of the model.
    fn add_model_turn(&mut self, index: usize, message: &'r Message) -> Result<()> {
        let mut content = Vec::with_capacity(message.content.len());
        for (place, part) in message.content.iter().enumerate() {
            let original = self.request.original((index, place, None));
            let original_or = |own| original.map_or(own, BlockContent::Provider).into();
            match part {
                ContentPart::Text(text) => {
                    content.push(original_or(BlockContent::Text(Cow::Borrowed(text))));
                }
                ContentPart::ToolCall(call) => {
                    let own = self.call_block(call)?;
                    content.push(original_or(own));
                }
                // Parts of another provider have no meaning here.
                ContentPart::Provider(part) if part.protocol != PROTOCOL => {}
                ContentPart::Provider(part) => {
                    provider_parts::object_of(part)?;
                    // The model cannot send the result of a tool.
                    if is_result(part, Protocol::AnthropicMessages)
                        && !self.request.is_from_own_protocol()
                    {
                        return Err(WireError::unsupported_part("tool_result", &Role::Assistant));
                    }
                    if let Some(id) = part.value.get("id").and_then(Value::as_str) {
                        self.ids.register_provider_call(id);
                    }
                    content.push(BlockContent::Provider(&part.value).into());
                }
                // Only signed reasoning can be sent, and that is a provider part.
                ContentPart::Reasoning(_) => {}
                other => return Err(WireError::unsupported_part(other.kind(), &Role::Assistant)),
            }
        }
        self.push_turn(Role::Assistant.as_str(), content, message);
        Ok(())
    }

    /// Converts a call.
    fn call_block(&mut self, call: &'r ToolCall) -> Result<BlockContent<'r>> {
        if call.free_text {
            return Err(WireError::unsupported(format!(
                "the arguments of the call to `{}` are free text, which the protocol does not support",
                call.name
            ))
            .with_help(
                "offer a tool with parameters, or use the provider that made the call",
            ));
        }
        // The JSON is copied as text, so that numbers keep all their digits. Lone
        // surrogates would make the body invalid.
        let input = arguments_object(call)?;
        let input = match replace_lone_surrogates(input.get()) {
            Cow::Borrowed(_) => Cow::Borrowed(input),
            Cow::Owned(json) => {
                Cow::Owned(RawValue::from_string(json).map_err(|_| arguments_not_object(call))?)
            }
        };
        Ok(BlockContent::Call {
            id: self.ids.register_call(call),
            name: self.ids.name(call),
            call,
            input,
        })
    }
}

/// The metadata entry that asks the provider to cache the prompt up to the end of the message.
pub(super) const CACHE_CONTROL: &str = "cache_control";

fn cache_control(message: &Message) -> Option<&Value> {
    message.metadata.get(CACHE_CONTROL).filter(|control| control.as_object().is_some())
}

/// Removes blank texts from a message, and puts its cache control on the last block.
fn without_blank_texts<'r>(
    mut content: Vec<RequestBlock<'r>>,
    message: &'r Message,
) -> Vec<RequestBlock<'r>> {
    content.retain(has_content);
    if let (Some(cache), Some(last)) = (cache_control(message), content.last_mut()) {
        last.cache_control = Some(cache);
    }
    content
}

/// Whether a block is not a blank text, which the provider refuses.
fn has_content(block: &RequestBlock<'_>) -> bool {
    !matches!(&block.kind, BlockContent::Text(text) if is_blank(text))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The kinds of provider parts that a user or a tool may send.
const USER_KINDS: [&str; 7] = [
    "text",
    "image",
    "document",
    "search_result",
    "tool_result",
    "tool_reference",
    "container_upload",
];

/// Converts a part of the user, the system or a tool. A body of this protocol may contain parts
/// that are unknown here.
fn input_part<'r>(
    part: &'r ContentPart,
    role: &Role,
    is_from_own_protocol: bool,
) -> Result<RequestBlock<'r>> {
    let kind = match part {
        ContentPart::Text(text) => BlockContent::Text(Cow::Borrowed(text)),
        ContentPart::Image(_) | ContentPart::File(_) if *role == Role::System => {
            return Err(WireError::unsupported_part(part.kind(), role));
        }
        ContentPart::Image(media) => {
            BlockContent::Media { kind: "image", source: image_source(media)?, name: None }
        }
        ContentPart::File(media) => BlockContent::Media {
            kind: "document",
            source: document_source(media)?,
            name: media.name.as_deref(),
        },
        ContentPart::Provider(part) => {
            let is_user = *role != Role::System;
            let may_send =
                |kind: &str| is_from_own_protocol || is_user && USER_KINDS.contains(&kind);
            BlockContent::Provider(provider_parts::part_for_role(role, part, PROTOCOL, may_send)?)
        }
        other => return Err(WireError::unsupported_part(other.kind(), role)),
    };
    Ok(kind.into())
}

fn media_source(media: &Media) -> Result<MediaSource<'_>> {
    Ok(match media.place()? {
        MediaPlace::Url(url) => MediaSource::Url { url },
        MediaPlace::Data { media_type: Some(media_type), base64 } => {
            MediaSource::Base64 { media_type, data: base64 }
        }
        place => return Err(media.missing_error(&place).into()),
    })
}

/// The image types that the protocol accepts, and a frequent wrong name of one of them.
const IMAGE_TYPES: [(&str, &str); 5] = [
    ("image/gif", "image/gif"),
    ("image/jpeg", "image/jpeg"),
    ("image/jpg", "image/jpeg"),
    ("image/png", "image/png"),
    ("image/webp", "image/webp"),
];

fn image_source(media: &Media) -> Result<MediaSource<'_>> {
    let (found, data) = match media_source(media)? {
        MediaSource::Base64 { media_type, data } => (media_type, data),
        source => return Ok(source),
    };
    match IMAGE_TYPES.into_iter().find(|(name, _)| is_type(found, name)) {
        Some((_, media_type)) => Ok(MediaSource::Base64 { media_type, data }),
        None => {
            let message = format!("the protocol does not support images of the type `{found}`");
            Err(WireError::unsupported(message)
                .with_help("convert it to JPEG, PNG, GIF or WebP, or send a PDF as a file"))
        }
    }
}

/// A document: a PDF is sent unchanged, and a text as text.
fn document_source(media: &Media) -> Result<MediaSource<'_>> {
    match media_source(media)? {
        MediaSource::Base64 { media_type, .. } if is_type(media_type, "text/plain") => {
            let text = String::from_utf8(media.to_bytes()?);
            let data = text.map_err(|_| {
                WireError::unsupported("the text document is not valid UTF-8")
                    .with_help("convert it to UTF-8, or send a PDF")
            })?;
            Ok(MediaSource::Text { media_type: "text/plain", data })
        }
        MediaSource::Base64 { media_type, .. } if !is_type(media_type, "application/pdf") => {
            let message =
                format!("the protocol does not support documents of the type `{media_type}`");
            Err(WireError::unsupported(message)
                .with_help("send a PDF, or the text of the document"))
        }
        // The provider compares the type literally.
        MediaSource::Base64 { data, .. } => {
            Ok(MediaSource::Base64 { media_type: "application/pdf", data })
        }
        source => Ok(source),
    }
}

/// Whether two MIME types are equal, except for parameters and case.
fn is_type(media_type: &str, other: &str) -> bool {
    media_type.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(other))
}

impl<'r> From<BlockContent<'r>> for RequestBlock<'r> {
    fn from(kind: BlockContent<'r>) -> Self {
        Self { kind, cache_control: None }
    }
}

impl Serialize for AnthropicBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, system, messages, tools, answer } = self;
        let options = &request.options;
        let mut body = EntryWriter::new(serializer.serialize_map(None)?);
        body.put("model", &*request.model)?;
        body.put("messages", messages)?;
        body.put("max_tokens", &max_tokens(request))?;
        body.put_set("system", system.as_ref())?;
        body.put_set("temperature", options.temperature.map(JsonNumber))?;
        body.put_set("top_p", options.top_p.map(JsonNumber))?;
        body.put_set("top_k", options.top_k)?;
        body.put_list("stop_sequences", &options.stop_sequences)?;
        if !tools.is_empty() {
            body.put("tools", tools)?;
            body.put_set("tool_choice", choice(request))?;
        }
        body.put_set("thinking", ThinkingMode::new(request).entry())?;
        body.put_set("output_config", output_config(request, answer.as_ref()))?;
        if let Some(cache) = &request.prompt_cache {
            let mut control = Map::from([("type", "ephemeral")]);
            if let Some(time) = &cache.time {
                control.insert("ttl", time.as_str());
            }
            body.put(CACHE_CONTROL, &control)?;
        }
        if request.is_streaming {
            body.put("stream", &true)?;
        }
        body.end(request.additional_entries())
    }
}

impl Serialize for RequestBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut block = EntryWriter::new(serializer.serialize_map(None)?);
        let (mut call_of_block, mut original) = (None, None);
        match &self.kind {
            BlockContent::Text(text) => {
                block.put("type", "text")?;
                block.put("text", text)?;
            }
            BlockContent::Media { kind, source, name } => {
                block.put("type", kind)?;
                block.put("source", source)?;
                block.put_set("title", *name)?;
            }
            BlockContent::Call { id, name, call, input } => {
                block.put("type", "tool_use")?;
                block.put("id", id)?;
                block.put("name", name)?;
                block.put("input", input)?;
                call_of_block = Some(call);
            }
            BlockContent::Result { id, content, is_error } => {
                block.put("type", "tool_result")?;
                block.put("tool_use_id", id)?;
                match content.as_slice() {
                    [Self { kind: BlockContent::Text(text), .. }] => block.put("content", text)?,
                    blocks => block.put("content", blocks)?,
                }
                block.put_set("is_error", is_error.then_some(true))?;
            }
            // All blocks are objects.
            BlockContent::Provider(value) => original = value.as_object(),
        }
        let has_own_cache_control = original.is_some_and(|map| map.contains_key(CACHE_CONTROL));
        let cache = self.cache_control.filter(|_| !has_own_cache_control);
        let fields =
            call_of_block.into_iter().flat_map(|call| written_fields(call, PROTOCOL, CALL_FIELDS));
        let more = fields.chain(original.into_iter().flat_map(Map::iter));
        block.end(more.chain(cache.map(|cache| (CACHE_CONTROL, cache))))
    }
}
