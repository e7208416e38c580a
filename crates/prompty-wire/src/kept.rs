//! What only the protocol understands that a request was read from: parts of messages and tools, as the body has them.

use std::collections::BTreeMap;

use prompty_core::message::{Content, ContentPart, Message, Role, ToolResult};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

use serde::Serialize;

use super::call_fields::says_more;

/// Where a part stands: in which message, at which place there, and where it is in a result, at which place of that.
pub(super) type Place = (usize, usize, Option<usize>);

/// Parts and tools that say more than those of all protocols can. In their own protocol they are written as they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    parts: BTreeMap<Place, Original>,
    /// Tools, by their places in the request.
    tools: BTreeMap<usize, Original>,
}

/// A part or a tool as a body has it.
#[derive(Debug, Clone)]
pub(super) struct Original {
    value: Value,
    /// The names under which it says what other protocols cannot.
    names: Vec<String>,
}

impl Kept {
    pub(super) fn get(&self, place: Place) -> Option<&Value> {
        self.parts.get(&place).map(|original| &original.value)
    }

    /// Whether a part of a message is kept.
    pub(super) fn of_message(&self, index: usize) -> bool {
        self.parts.range((index, 0, None)..(index.saturating_add(1), 0, None)).next().is_some()
    }

    pub(super) fn keep_tool(&mut self, index: usize, original: Original) {
        self.tools.insert(index, original);
    }

    pub(super) fn tool(&self, index: usize) -> Option<&Value> {
        self.tools.get(&index).map(|original| &original.value)
    }

    /// The names under which parts and tools say what other protocols cannot.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let originals = self.parts.values().chain(self.tools.values());
        originals.flat_map(|original| original.names.iter().map(String::as_str))
    }
}

/// What is written in our form, or as the body has it that it was read from.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Form<'r, T> {
    Own(T),
    Original(&'r Value),
}

/// A part that is read, and as the body has it, if it says more than all protocols can.
pub(super) struct Piece {
    pub(super) part: ContentPart,
    pub(super) original: Option<Original>,
}

impl Piece {
    /// A part by the map that it was read from, and the names of the map that are read.
    pub(super) fn new(part: ContentPart, map: &Map, known: &[&str]) -> Self {
        let names = unknown(map, known);
        let original = (!names.is_empty()).then(|| Original::new(map, names));
        Self { part, original }
    }

    /// The same, where the part holds a map, whose names are known as well.
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
        let original = (!names.is_empty()).then(|| Original::new(map, names));
        Self { part, original }
    }
}

impl Original {
    pub(super) fn new(map: &Map, names: Vec<String>) -> Self {
        Self { value: Value::Object(map.clone()), names }
    }
}

impl From<ContentPart> for Piece {
    fn from(part: ContentPart) -> Self {
        Self { part, original: None }
    }
}

/// The names of a map that are none of those that are known, and that say anything.
pub(super) fn unknown(map: &Map, known: &[&str]) -> Vec<String> {
    let says = |name: &str, value: &Value| {
        says_more(name, value) && value.as_array().is_none_or(|list| !list.is_empty())
    };
    let names = map.iter().filter(|(name, value)| !known.contains(name) && says(name, value));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// The messages of a body, while it is read.
#[derive(Default)]
pub(super) struct Conversation {
    pub(super) messages: Vec<Message>,
    pub(super) kept: Kept,
    /// Whether the last message has a text.
    has_text: bool,
}

impl Conversation {
    /// Begins a message.
    pub(super) fn push(&mut self, message: Message) {
        self.has_text = message.content.iter().any(is_text);
        self.messages.push(message);
    }

    /// Whether the last message has a text. Its parts are looked at once, however often that is asked.
    pub(super) fn last_has_text(&self) -> bool {
        self.has_text
    }

    /// Begins a message of the given parts.
    pub(super) fn say(&mut self, role: Role, pieces: Vec<Piece>) {
        self.push(Message::new(role, Content::new()));
        pieces.into_iter().for_each(|piece| self.add(piece));
    }

    /// The last message, for its metadata.
    pub(super) fn last_mut(&mut self) -> Option<&mut Message> {
        self.messages.last_mut()
    }

    /// Adds a part to the last message.
    pub(super) fn add(&mut self, piece: Piece) {
        let Some(index) = self.messages.len().checked_sub(1) else { return };
        let Some(message) = self.messages.last_mut() else { return };
        if let Some(original) = piece.original {
            self.kept.parts.insert((index, message.content.len(), None), original);
        }
        self.has_text |= is_text(&piece.part);
        message.content.push(piece.part);
    }

    /// Adds the result of a call to the last message: without its content, as the body has it, and its content.
    pub(super) fn add_result(
        &mut self,
        mut result: ToolResult,
        original: Option<Original>,
        content: Vec<Piece>,
    ) {
        let Some(index) = self.messages.len().checked_sub(1) else { return };
        let Some(place) = self.messages.last().map(|message| message.content.len()) else { return };
        result.content = Vec::with_capacity(content.len());
        for (inner, piece) in content.into_iter().enumerate() {
            if let Some(original) = piece.original {
                self.kept.parts.insert((index, place, Some(inner)), original);
            }
            result.content.push(piece.part);
        }
        self.add(Piece { part: ContentPart::ToolResult(result), original });
    }
}

fn is_text(part: &ContentPart) -> bool {
    add_steps(1);
    matches!(part, ContentPart::Text(_))
}
