//! Writes requests for Anthropic's messages (Prompty §7).

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Media, MediaPlace, Message, Role, ToolCall, ToolResult, ToolSpec,
};
use prompty_core::value::internal::json::replace_lone_surrogates;
use prompty_core::value::{Map, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::limits::{self, Amount};
use super::options::{self, Thinking, choice, max_tokens, output_config};
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::write_provider_fields;
use crate::calls::{CallIds, no_object, object};
use crate::entries::{Entries, Joined, Number, Parameters, joined, parameters, text};
use crate::error::{Result, WireError};
use crate::kept::{Form, Place};
use crate::protocol::Protocol;
use crate::provider_parts::{self, is_result};
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The body of a request.
pub(crate) struct AnthropicBody<'r> {
    request: &'r Request<'r>,
    system: Option<System<'r>>,
    messages: Vec<Turn<'r>>,
    tools: Vec<Form<'r, AnthropicTool<'r>>>,
    answer: Option<AnswerForm<'r>>,
}

/// The system's texts: as one, or as blocks where one of them is kept in the provider's cache.
#[derive(Serialize)]
#[serde(untagged)]
enum System<'r> {
    Text(Cow<'r, str>),
    Blocks(Vec<Block<'r>>),
}

#[derive(Serialize)]
struct Turn<'r> {
    role: &'r str,
    content: Vec<Block<'r>>,
}

/// A block, and what the provider keeps up to it.
struct Block<'r> {
    kind: BlockKind<'r>,
    cache_control: Option<&'r Value>,
}

enum BlockKind<'r> {
    Text(Cow<'r, str>),
    Media { kind: &'static str, source: Source<'r>, name: Option<&'r str> },
    Call { id: Cow<'r, str>, name: Cow<'r, str>, call: &'r ToolCall, input: Cow<'r, RawValue> },
    Result { id: Cow<'r, str>, content: Vec<Block<'r>>, is_error: bool },
    Provider(&'r Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'r> {
    Base64 { media_type: &'r str, data: Cow<'r, str> },
    Url { url: &'r str },
    Text { media_type: &'static str, data: String },
}

struct AnthropicTool<'r> {
    tool: &'r ToolSpec,
    parameters: Parameters<'r>,
}

impl<'r> AnthropicBody<'r> {
    pub(crate) fn new(request: &'r Request<'_>) -> Result<Self> {
        request.check()?;
        options::check(request)?;
        let answer = answer_form(request)?;
        let mut writer = Writer {
            request,
            ids: CallIds::new(request),
            system: Vec::new(),
            turns: Vec::with_capacity(request.messages.len()),
            ends_with_results: false,
        };
        for (index, message) in request.messages.iter().enumerate() {
            writer.message(index, message).map_err(|it| it.in_message(index))?;
        }
        writer.ids.end()?;
        request.check_messages(writer.turns.is_empty())?;
        writer.check_last_turn()?;
        let mut strict = match &answer {
            Some(AnswerForm::Schema { schema, .. }) => Amount::of(schema),
            _ => Amount::default(),
        };
        let tools = request.tool_forms(|tool| {
            limits::check_names(tool)?;
            let parameters = strict.held(tool, parameters(tool, request.protocol)?);
            Ok(AnthropicTool { tool, parameters })
        })?;
        Ok(Self { request, system: writer.system(), messages: writer.turns, tools, answer })
    }
}

/// The form of the answer.
///
/// # Errors
///
/// Where the protocol does not have it.
fn answer_form<'r>(request: &'r Request<'_>) -> Result<Option<AnswerForm<'r>>> {
    match request.answer_form()? {
        Some(AnswerForm::Json) => {
            Err(WireError::unsupported("the protocol has no JSON without a schema")
                .with_help("give a schema: `request.with_output::<T>()`"))
        }
        answer => Ok(answer),
    }
}

struct Writer<'r> {
    request: &'r Request<'r>,
    ids: CallIds<'r>,
    system: Vec<Block<'r>>,
    turns: Vec<Turn<'r>>,
    /// Whether the last turn holds nothing but results of tools.
    ends_with_results: bool,
}

impl<'r> Writer<'r> {
    fn message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        self.ids.begin(message)?;
        let is_text = message.content.iter().all(|part| matches!(part, ContentPart::Text(_)));
        let stays = self.request.keeps_system && !self.turns.is_empty();
        match &message.role {
            Role::System | Role::Developer if !stays && is_text => {
                self.instruct(index, message);
                Ok(())
            }
            Role::System | Role::Developer => {
                let blocks = message.content.iter().enumerate();
                let blocks = blocks
                    .map(|(place, part)| self.said((index, place, None), part, &Role::System));
                let content = blocks.collect::<Result<_, _>>()?;
                match stays {
                    true => self.turn(Role::System.as_str(), content, message),
                    false => self.system.extend(saying(content, message)),
                }
                Ok(())
            }
            Role::Assistant => self.assistant(index, message),
            Role::User => self.user(index, message),
            Role::Tool => self.results(index, message),
            role => Err(WireError::no_role(role)),
        }
    }

    /// Turns that say nothing are left out. Without the user's last one, the model would go on with its own words.
    fn check_last_turn(&self) -> Result<()> {
        let is_said = |message: &&Message| !matches!(message.role, Role::System | Role::Developer);
        let asks = self.request.messages.iter().rfind(is_said).map(|last| &last.role);
        let last = self.turns.last().map(|turn| turn.role);
        if asks != Some(&Role::User) || last != Some(Role::Assistant.as_str()) {
            return Ok(());
        }
        Err(WireError::unsupported("the last message of the user says nothing")
            .with_help("say what the user asks for, or leave the message out"))
    }

    fn system(&mut self) -> Option<System<'r>> {
        let blocks = std::mem::take(&mut self.system);
        let text = |block: &Block<'r>| match &block.kind {
            BlockKind::Text(text) if block.cache_control.is_none() => Some(text.clone()),
            _ => None,
        };
        match blocks.iter().map(text).collect() {
            Some(texts) => joined(texts).map(System::Text),
            None => Some(System::Blocks(blocks)),
        }
    }

    /// Adds what the operator says in front of the conversation.
    fn instruct(&mut self, index: usize, message: &'r Message) {
        let text = text(message);
        if is_blank(&text) {
            return;
        }
        let kind = match (&*message.content, self.request.kept((index, 0, None))) {
            ([_], Some(original)) => BlockKind::Provider(original),
            _ => BlockKind::Text(text),
        };
        self.system.push(Block { kind, cache_control: cache_control(message) });
    }

    /// A part that a person, an operator or a tool says.
    fn said(&self, place: Place, part: &'r ContentPart, role: &Role) -> Result<Block<'r>> {
        match self.request.kept(place) {
            Some(original) => Ok(BlockKind::Provider(original).into()),
            None => said(part, role, self.request.is_own_body()),
        }
    }

    /// Adds a turn. Turns without blocks are refused.
    fn turn(&mut self, role: &'r str, content: Vec<Block<'r>>, message: &'r Message) {
        let content = saying(content, message);
        if content.is_empty() {
            return;
        }
        self.ends_with_results = false;
        self.turns.push(Turn { role, content });
    }

    fn user(&mut self, index: usize, message: &'r Message) -> Result<()> {
        // Results must stand in front of all else.
        let (mut content, mut others) = (Vec::with_capacity(message.content.len()), Vec::new());
        for (place, part) in message.content.iter().enumerate() {
            match self.any_result((index, place), part)? {
                Some(result) => content.push(result),
                None => others.push(self.said((index, place, None), part, &Role::User)?),
            }
        }
        content.extend(others);
        self.turn(Role::User.as_str(), content, message);
        Ok(())
    }

    /// A part as a result, if it is one: also one in the provider's own form.
    fn any_result(
        &mut self,
        (index, place): (usize, usize),
        part: &'r ContentPart,
    ) -> Result<Option<Block<'r>>> {
        match part {
            ContentPart::ToolResult(result) => self.result((index, place), result).map(Some),
            ContentPart::Provider(result) if is_result(result, Protocol::AnthropicMessages) => {
                if let Some(id) = result.value.get("tool_use_id").and_then(Value::as_str) {
                    self.ids.provider_result(id)?;
                }
                self.said((index, place, None), part, &Role::User).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The results of one turn's calls stand in one message.
    fn results(&mut self, index: usize, message: &'r Message) -> Result<()> {
        if message.content.is_empty() {
            return Err(WireError::no_call_answered());
        }
        let mut results = Vec::with_capacity(message.content.len());
        for (place, part) in message.content.iter().enumerate() {
            match (self.any_result((index, place), part)?, part) {
                (Some(result), _) => results.push(result),
                (None, ContentPart::Provider(part)) if part.protocol != PROTOCOL => {
                    return Err(WireError::part_of_another(part));
                }
                _ => return Err(WireError::no_call_answered()),
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
            None => self.turn(Role::User.as_str(), results, message),
        }
        self.ends_with_results = true;
        Ok(())
    }

    fn result(
        &mut self,
        (index, place): (usize, usize),
        result: &'r ToolResult,
    ) -> Result<Block<'r>> {
        let id = self.ids.result(result)?;
        if let Some(original) = self.request.kept((index, place, None)) {
            return Ok(BlockKind::Provider(original).into());
        }
        let content = result.content.iter().enumerate();
        let content =
            content.map(|(inner, part)| self.said((index, place, Some(inner)), part, &Role::User));
        let mut content = content.collect::<Result<Vec<_>, _>>()?;
        content.retain(says_something);
        Ok(BlockKind::Result { id, content, is_error: result.is_error }.into())
    }

    fn assistant(&mut self, index: usize, message: &'r Message) -> Result<()> {
        let mut content = Vec::with_capacity(message.content.len());
        for (place, part) in message.content.iter().enumerate() {
            let original = self.request.kept((index, place, None));
            let or_own = |own| original.map_or(own, BlockKind::Provider).into();
            match part {
                ContentPart::Text(text) => {
                    content.push(or_own(BlockKind::Text(Cow::Borrowed(text))));
                }
                ContentPart::ToolCall(call) => {
                    let own = self.call(call)?;
                    content.push(or_own(own));
                }
                // What another provider wrote is of no use here.
                ContentPart::Provider(part) if part.protocol != PROTOCOL => {}
                ContentPart::Provider(part) => {
                    provider_parts::map(part)?;
                    // What a tool said is no word of the model.
                    if is_result(part, Protocol::AnthropicMessages) && !self.request.is_own_body() {
                        return Err(WireError::no_part("tool_result", &Role::Assistant));
                    }
                    if let Some(id) = part.value.get("id").and_then(Value::as_str) {
                        self.ids.provider_call(id);
                    }
                    content.push(BlockKind::Provider(&part.value).into());
                }
                // Only signed reasoning can be sent, and that is a part of the provider.
                ContentPart::Reasoning(_) => {}
                other => return Err(WireError::no_part(other.kind(), &Role::Assistant)),
            }
        }
        self.turn(Role::Assistant.as_str(), content, message);
        Ok(())
    }

    fn call(&mut self, call: &'r ToolCall) -> Result<BlockKind<'r>> {
        if call.free_text {
            return Err(WireError::unsupported(format!(
                "the call of `{}` is free text, which the protocol has no calls for",
                call.name
            ))
            .with_help(
                "offer a tool with parameters, or stay with the provider that made the call",
            ));
        }
        // As it is written, so that numbers keep all their digits. Half of a character would make the body no JSON.
        let input = object(call)?;
        let input = match replace_lone_surrogates(input.get()) {
            Cow::Borrowed(_) => Cow::Borrowed(input),
            Cow::Owned(json) => {
                Cow::Owned(RawValue::from_string(json).map_err(|_| no_object(call))?)
            }
        };
        Ok(BlockKind::Call { id: self.ids.call(call), name: self.ids.name(call), call, input })
    }
}

/// The entry of a message's metadata that asks the provider to keep the prompt up to the message's end.
pub(super) const CACHE_CONTROL: &str = "cache_control";

fn cache_control(message: &Message) -> Option<&Value> {
    message.metadata.get(CACHE_CONTROL).filter(|control| control.as_object().is_some())
}

/// The blocks of a message that say something, the last one with what the provider keeps.
fn saying<'r>(mut content: Vec<Block<'r>>, message: &'r Message) -> Vec<Block<'r>> {
    content.retain(says_something);
    if let (Some(cache), Some(last)) = (cache_control(message), content.last_mut()) {
        last.cache_control = Some(cache);
    }
    content
}

/// Whether a block is one that the provider takes: it refuses texts of nothing but white space.
fn says_something(block: &Block<'_>) -> bool {
    !matches!(&block.kind, BlockKind::Text(text) if is_blank(text))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The blocks in the provider's own form that a person or a tool may send.
const OF_USER: [&str; 7] = [
    "text",
    "image",
    "document",
    "search_result",
    "tool_result",
    "tool_reference",
    "container_upload",
];

/// A part that a person, an operator or a tool says. A body of this protocol may have others than are known here.
fn said<'r>(part: &'r ContentPart, role: &Role, is_own_body: bool) -> Result<Block<'r>> {
    let kind = match part {
        ContentPart::Text(text) => BlockKind::Text(Cow::Borrowed(text)),
        ContentPart::Image(_) | ContentPart::File(_) if *role == Role::System => {
            return Err(WireError::no_part(part.kind(), role));
        }
        ContentPart::Image(media) => {
            BlockKind::Media { kind: "image", source: image(media)?, name: None }
        }
        ContentPart::File(media) => BlockKind::Media {
            kind: "document",
            source: document(media)?,
            name: media.name.as_deref(),
        },
        ContentPart::Provider(part) => {
            let is_user = *role != Role::System;
            let may_send = |kind: &str| is_own_body || is_user && OF_USER.contains(&kind);
            BlockKind::Provider(provider_parts::said_by(role, part, PROTOCOL, may_send)?)
        }
        other => return Err(WireError::no_part(other.kind(), role)),
    };
    Ok(kind.into())
}

fn source(media: &Media) -> Result<Source<'_>> {
    Ok(match media.place()? {
        MediaPlace::Url(url) => Source::Url { url },
        MediaPlace::Data { media_type: Some(media_type), base64 } => {
            Source::Base64 { media_type, data: base64 }
        }
        place => return Err(media.incomplete(&place).into()),
    })
}

/// The types of images that the protocol takes, and a wrong name of one that is often seen.
const IMAGES: [(&str, &str); 5] = [
    ("image/gif", "image/gif"),
    ("image/jpeg", "image/jpeg"),
    ("image/jpg", "image/jpeg"),
    ("image/png", "image/png"),
    ("image/webp", "image/webp"),
];

fn image(media: &Media) -> Result<Source<'_>> {
    let (found, data) = match source(media)? {
        Source::Base64 { media_type, data } => (media_type, data),
        source => return Ok(source),
    };
    match IMAGES.into_iter().find(|(name, _)| is_type(found, name)) {
        Some((_, media_type)) => Ok(Source::Base64 { media_type, data }),
        None => {
            let message = format!("the protocol takes no image of the type `{found}`");
            Err(WireError::unsupported(message)
                .with_help("make it a JPEG, PNG, GIF or WebP, or send a PDF as a file"))
        }
    }
}

/// A document: a PDF is sent as it is, a text as text.
fn document(media: &Media) -> Result<Source<'_>> {
    match source(media)? {
        Source::Base64 { media_type, .. } if is_type(media_type, "text/plain") => {
            let text = String::from_utf8(media.to_bytes()?);
            let data =
                text.map_err(|_| WireError::unsupported("a document of text is no UTF-8"))?;
            Ok(Source::Text { media_type: "text/plain", data })
        }
        Source::Base64 { media_type, .. } if !is_type(media_type, "application/pdf") => {
            let message = format!("the protocol takes no document of the type `{media_type}`");
            Err(WireError::unsupported(message)
                .with_help("send a PDF, or the text of the document"))
        }
        // The type is compared letter by letter.
        Source::Base64 { data, .. } => Ok(Source::Base64 { media_type: "application/pdf", data }),
        source => Ok(source),
    }
}

/// Whether a MIME type is another one, whatever its parameters and case are.
fn is_type(media_type: &str, other: &str) -> bool {
    media_type.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(other))
}

impl<'r> From<BlockKind<'r>> for Block<'r> {
    fn from(kind: BlockKind<'r>) -> Self {
        Self { kind, cache_control: None }
    }
}

impl Serialize for AnthropicBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, system, messages, tools, answer } = self;
        let options = &request.options;
        let mut body = Entries::new(serializer.serialize_map(None)?);
        body.put("model", &*request.model)?;
        body.put("messages", messages)?;
        body.put("max_tokens", &max_tokens(request))?;
        body.put_set("system", system.as_ref())?;
        body.put_set("temperature", options.temperature.map(Number))?;
        body.put_set("top_p", options.top_p.map(Number))?;
        body.put_set("top_k", options.top_k)?;
        body.put_list("stop_sequences", &options.stop_sequences)?;
        if !tools.is_empty() || !request.provider_tools.is_empty() {
            body.put("tools", &Joined(tools, &request.provider_tools))?;
            body.put_set("tool_choice", choice(request))?;
        }
        body.put_set("thinking", Thinking::new(request).entry())?;
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

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut block = serializer.serialize_map(None)?;
        match &self.kind {
            BlockKind::Text(text) => {
                block.serialize_entry("type", "text")?;
                block.serialize_entry("text", text)?;
            }
            BlockKind::Media { kind, source, name } => {
                block.serialize_entry("type", kind)?;
                block.serialize_entry("source", source)?;
                if let Some(name) = name {
                    block.serialize_entry("title", name)?;
                }
            }
            BlockKind::Call { id, name, call, input } => {
                block.serialize_entry("type", "tool_use")?;
                block.serialize_entry("id", id)?;
                block.serialize_entry("name", name)?;
                block.serialize_entry("input", input)?;
                write_provider_fields(&mut block, call, PROTOCOL, CALL_FIELDS)?;
            }
            BlockKind::Result { id, content, is_error } => {
                block.serialize_entry("type", "tool_result")?;
                block.serialize_entry("tool_use_id", id)?;
                match content.as_slice() {
                    [Self { kind: BlockKind::Text(text), .. }] => {
                        block.serialize_entry("content", text)?;
                    }
                    blocks => block.serialize_entry("content", blocks)?,
                }
                if *is_error {
                    block.serialize_entry("is_error", &true)?;
                }
            }
            BlockKind::Provider(value) => {
                // All blocks are maps.
                let entries = value.as_object().into_iter().flat_map(Map::iter);
                for (name, value) in entries {
                    block.serialize_entry(name, value)?;
                }
            }
        }
        let has_own = match &self.kind {
            BlockKind::Provider(value) => value.get(CACHE_CONTROL).is_some(),
            _ => false,
        };
        if let Some(cache) = self.cache_control.filter(|_| !has_own) {
            block.serialize_entry(CACHE_CONTROL, cache)?;
        }
        block.end()
    }
}

impl Serialize for AnthropicTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { tool, parameters } = self;
        let mut own = Entries::new(serializer.serialize_map(None)?);
        own.put("name", &*tool.name)?;
        own.put_set("description", tool.description.as_deref())?;
        own.put("input_schema", parameters)?;
        own.put_set("strict", parameters.strict_if_so())?;
        own.into_map().end()
    }
}
