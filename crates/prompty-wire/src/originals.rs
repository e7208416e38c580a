//! Parts and tools of a request body that contain fields which only its protocol understands.
//!
//! Providers add fields to known forms, and a gateway must neither drop these fields nor refuse the
//! form. Therefore the part or tool is read in the form of this library, and its original JSON is
//! kept next to it. The same protocol gets the original. Other protocols get the form of this
//! library, and `Request::left_out` names the fields.
//!
//! Originals belong to the request and not to its messages, so a stored conversation cannot contain
//! one. There is one exception: Anthropic refuses unknown fields of a message, so these are an
//! error.

use std::collections::{BTreeMap, BTreeSet};

use prompty_core::message::{Content, ContentPart, Message, Role, ToolResult};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

use serde::Serialize;

use super::call_fields::has_meaning;
use super::provider_json::ProviderJson;

/// The position of a part: the index of its message and its index there. A part of a tool result
/// has a third index, inside of the result.
pub(super) type PartPlace = (usize, usize, Option<usize>);

/// Parts and tools with fields that only their protocol understands.
#[derive(Debug, Clone, Default)]
pub(super) struct Originals {
    parts: BTreeMap<PartPlace, OriginalJson>,
    /// Tools, by their index in the request.
    tools: BTreeMap<usize, OriginalJson>,
    /// The names of fields of calls and results without an id. Each gets the id that belongs to it,
    /// so its original JSON cannot be written.
    lost: BTreeSet<String>,
}

/// The JSON of a part or a tool.
#[derive(Debug, Clone)]
pub(super) struct OriginalJson {
    value: ProviderJson,
    /// The names of the fields that other protocols do not understand.
    names: Vec<String>,
    /// Whether it can be written in its own protocol.
    is_written: bool,
}

impl Originals {
    pub(super) fn get(&self, place: PartPlace) -> Option<&Value> {
        self.parts.get(&place).map(|original| &*original.value)
    }

    fn keep_part(&mut self, place: PartPlace, original: OriginalJson) {
        match original.is_written {
            true => _ = self.parts.insert(place, original),
            false => self.lost.extend(original.names),
        }
    }

    /// The names of the fields that no protocol gets.
    pub(super) fn lost(&self) -> impl Iterator<Item = &str> {
        self.lost.iter().map(String::as_str)
    }

    /// Whether any part of a message has its original JSON.
    pub(super) fn has_message(&self, index: usize) -> bool {
        self.parts.range((index, 0, None)..(index.saturating_add(1), 0, None)).next().is_some()
    }

    pub(super) fn keep_tool(&mut self, index: usize, original: OriginalJson) {
        self.tools.insert(index, original);
    }

    pub(super) fn tool(&self, index: usize) -> Option<&Value> {
        self.tools.get(&index).map(|original| &*original.value)
    }

    /// The names of the fields that other protocols do not understand.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let originals = self.parts.values().chain(self.tools.values());
        originals.flat_map(|original| original.names.iter().map(String::as_str))
    }
}

/// A value in the form of this library, or the original JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum WrittenForm<'r, T> {
    Own(T),
    OriginalJson(&'r Value),
}

/// A parsed part, and its original JSON if only its protocol understands all of it.
pub(super) struct ParsedPart {
    pub(super) part: ContentPart,
    pub(super) original: Option<OriginalJson>,
}

impl ParsedPart {
    /// A part, from its object and the names of the known fields.
    pub(super) fn new(part: ContentPart, map: &Map, known: &[&str]) -> Self {
        let names = unknown(map, known);
        let original = (!names.is_empty()).then(|| OriginalJson::new(map, names));
        Self { part, original }
    }

    /// Like [`new`](Self::new), for a part with an inner object, whose known fields are `within`.
    pub(super) fn with_inner(
        part: ContentPart,
        map: &Map,
        known: &[&str],
        inner: &str,
        within: &[&str],
    ) -> Self {
        let mut names = unknown(map, known);
        if let Some(Value::Object(inner)) = map.get(inner) {
            names.extend(unknown(inner, within));
        }
        let original = (!names.is_empty()).then(|| OriginalJson::new(map, names));
        Self { part, original }
    }
}

impl ParsedPart {
    /// The part of a call. A call without an id gets one, so its original JSON is not written.
    pub(super) fn of_call(mut self, id: &str) -> Self {
        self.original = self.original.map(|original| original.if_has_id(id));
        self
    }
}

impl OriginalJson {
    pub(super) fn new(map: &Map, names: Vec<String>) -> Self {
        Self { value: ProviderJson(Value::Object(map.clone())), names, is_written: true }
    }

    /// The same, if its call or result has an id. Otherwise it is not written.
    pub(super) fn if_has_id(mut self, id: &str) -> Self {
        self.is_written = !id.is_empty();
        self
    }
}

impl From<ContentPart> for ParsedPart {
    fn from(part: ContentPart) -> Self {
        Self { part, original: None }
    }
}

/// The names of the fields that are not known and have content.
pub(super) fn unknown(map: &Map, known: &[&str]) -> Vec<String> {
    let has_content = |name: &str, value: &Value| {
        has_meaning(name, value) && value.as_array().is_none_or(|list| !list.is_empty())
    };
    let names =
        map.iter().filter(|(name, value)| !known.contains(name) && has_content(name, value));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Builds the messages of a body while it is read.
#[derive(Default)]
pub(super) struct ConversationBuilder {
    pub(super) messages: Vec<Message>,
    pub(super) originals: Originals,
    /// Whether the last message has a text part. Each part is checked only once.
    pub(super) last_has_text: bool,
}

impl ConversationBuilder {
    /// Begins a message.
    pub(super) fn push(&mut self, message: Message) {
        self.last_has_text = message.content.iter().any(is_text);
        self.messages.push(message);
    }

    /// Begins a message with the given parts.
    pub(super) fn push_parts(&mut self, role: Role, pieces: Vec<ParsedPart>) {
        self.push(Message::new(role, Content::new()));
        pieces.into_iter().for_each(|piece| self.add(piece));
    }

    /// Adds a part to the last message.
    pub(super) fn add(&mut self, piece: ParsedPart) {
        let Some(index) = self.messages.len().checked_sub(1) else { return };
        let Some(message) = self.messages.last_mut() else { return };
        if let Some(original) = piece.original {
            self.originals.keep_part((index, message.content.len(), None), original);
        }
        self.last_has_text |= is_text(&piece.part);
        message.content.push(piece.part);
    }

    /// Adds the result of a call to the last message: the result without its content, its original
    /// JSON, and its content.
    pub(super) fn add_result(
        &mut self,
        mut result: ToolResult,
        original: Option<OriginalJson>,
        content: Vec<ParsedPart>,
    ) {
        let Some(index) = self.messages.len().checked_sub(1) else { return };
        let Some(place) = self.messages.last().map(|message| message.content.len()) else { return };
        result.content = Vec::with_capacity(content.len());
        for (inner, piece) in content.into_iter().enumerate() {
            if let Some(original) = piece.original {
                self.originals.keep_part((index, place, Some(inner)), original);
            }
            result.content.push(piece.part);
        }
        self.add(ParsedPart { part: ContentPart::ToolResult(result), original });
    }
}

fn is_text(part: &ContentPart) -> bool {
    add_steps(1);
    matches!(part, ContentPart::Text(_))
}
