//! What the slots for the history and for attachments may hold, made one form: turns, and parts.

use crate::error::{Error, ErrorKind};
use crate::message::{Content, ContentPart, Message, RichKind, Role};
use crate::value::{Map, Value};

use super::merge::items;
use super::slot::Slot;
use super::yaml;

/// A message of the history.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) parts: Vec<Part>,
    pub(super) metadata: Map,
}

/// A part of a message, or an attachment.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// What a message can hold.
    Known(ContentPart),
    /// A part of a provider's own, which no message can hold.
    Foreign {
        /// What its `type` says.
        kind: String,
    },
}

impl Part {
    /// The text, if this is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Known(part) => part.as_text(),
            Self::Foreign { .. } => None,
        }
    }

    /// The part's name in a report.
    pub(super) fn kind(&self) -> &str {
        match self {
            Self::Known(part) => part.kind(),
            Self::Foreign { kind } => kind,
        }
    }
}

/// The turns of a history: a list of messages, or one. What is no map is what the user said.
pub(super) fn turns(history: &Value) -> Result<Vec<Turn>, Error> {
    let read = |(index, item)| turn(item).map_err(|error| at(Slot::ChatHistory, index, &error));
    items(history).iter().enumerate().map(read).collect()
}

/// The parts of attachments: a list, or one. What is no map is a text.
pub(super) fn attachments(attachment: &Value) -> Result<Vec<Part>, Error> {
    let read = |(index, item): (usize, &Value)| match item {
        Value::Object(map) => part(map).map_err(|error| at(Slot::Attachment, index, &error)),
        other => Ok(text_part(other)),
    };
    items(attachment).iter().enumerate().map(read).collect()
}

fn turn(item: &Value) -> Result<Turn, Error> {
    let Value::Object(map) = item else {
        let parts = vec![text_part(item)];
        return Ok(Turn { role: Role::User, parts, metadata: Map::new() });
    };
    let mut map = map.clone();
    // What else the map of a message has is never sent.
    let metadata = map.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    if map.get("role").is_none_or(Value::is_null) {
        map.insert("role", Role::User.as_str());
    }
    let name = if map.contains_key("content") { "content" } else { "parts" };
    let written = match map.get(name) {
        Some(Value::Array(items)) => Some(items.clone()),
        _ => None,
    };
    // Parts are read one by one, so that one which no message can hold is told and not an error of
    // the whole.
    if written.is_some() {
        map.insert(name, Value::from(Vec::<Value>::new()));
    }
    let message = Message::from_value(&Value::Object(map))?;
    let mut parts: Vec<Part> = message.content.into_iter().map(Part::Known).collect();
    for item in written.iter().flat_map(|items| items.iter()) {
        parts.push(match item {
            Value::Object(map) => part(map)?,
            other => Part::Known(known_part(other)?),
        });
    }
    Ok(Turn { role: message.role, parts, metadata })
}

/// A part out of its map. One that says its type, which we do not know, is a provider's own.
fn part(map: &Map) -> Result<Part, Error> {
    let value = Value::Object(map.clone());
    match (known_part(&value), map.get("type").and_then(Value::as_str)) {
        (Ok(part), _) => Ok(Part::Known(part)),
        (Err(_), Some(kind)) if is_foreign(kind, map) => {
            Ok(Part::Foreign { kind: kind.to_owned() })
        }
        (Err(error), _) => Err(error),
    }
}

/// Whether a part is of a type that messages do not have, or is the provider's own form of a file: one
/// that lies there already.
fn is_foreign(kind: &str, map: &Map) -> bool {
    const KNOWN: [&str; 10] = [
        "text",
        "input_text",
        "output_text",
        "image_url",
        "input_image",
        "input_audio",
        "reasoning",
        "thinking",
        "tool_call",
        "tool_result",
    ];
    match kind {
        "file" => map.get("file").is_some_and(|file| file.get("file_id").is_some()),
        other => {
            let media = RichKind::from_name(other).and_then(RichKind::media_part);
            media.is_none() && !KNOWN.contains(&other)
        }
    }
}

/// A part as the reader of messages reads it.
fn known_part(value: &Value) -> Result<ContentPart, Error> {
    let message = Map::from([
        ("role", Value::from(Role::User.as_str())),
        ("content", Value::from(vec![value.clone()])),
    ]);
    let content: Content = Message::from_value(&message.into())?.content;
    content.into_iter().next().ok_or_else(|| Error::new(ErrorKind::WrongInput, "no part"))
}

fn text_part(value: &Value) -> Part {
    let text = match value {
        Value::String(text) => String::from(&**text),
        other => yaml::word(other),
    };
    Part::Known(ContentPart::Text(text))
}

fn at(slot: Slot, index: usize, error: &Error) -> Error {
    let message = format!("in the slot `{slot}`, item {index}: {error}");
    Error::new(error.kind(), message).with_help_of(error.help())
}
