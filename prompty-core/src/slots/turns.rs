//! Reads the slots of the history and of attachments as turns and parts.

use crate::error::{Error, ErrorKind};
use crate::message::{Content, ContentPart, Message, RichKind, Role};
use crate::value::{Map, Value};

use super::merge::items;
use super::slot::Slot;
use super::written::Skipped;
use super::yaml;

/// A message of the history.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) parts: Vec<TurnPart>,
    pub(super) metadata: Map,
}

/// A part of a message, or an attachment.
#[derive(Debug, Clone)]
pub(super) enum TurnPart {
    /// A part that a message can contain.
    Known(ContentPart),
    /// A provider-specific part that a message cannot contain.
    Foreign {
        /// Its `type`.
        kind: String,
    },
}

impl TurnPart {
    /// The text, if the part is text.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Known(part) => part.as_text(),
            Self::Foreign { .. } => None,
        }
    }

    /// The report of this part if it is not in the prompt.
    pub(super) fn skipped_in(&self, slot: Slot) -> Skipped {
        let kind = match self {
            Self::Known(part) => part.kind(),
            Self::Foreign { kind } => kind,
        };
        Skipped { slot, kind: kind.to_owned() }
    }
}

/// The turns of a history: a list of messages, or a single one. Other values are text of the user.
pub(super) fn read_turns(history: &Value) -> Result<Vec<Turn>, Error> {
    let read = |(index, item)| {
        read_turn(item).map_err(|error| error_in_item(Slot::ChatHistory, index, &error))
    };
    items(history).iter().enumerate().map(read).collect()
}

/// The parts of attachments: a list, or a single one. Values that are not objects are text.
pub(super) fn read_attachments(attachment: &Value) -> Result<Vec<TurnPart>, Error> {
    let read = |(index, item): (usize, &Value)| match item {
        Value::Object(map) => {
            read_part(map).map_err(|error| error_in_item(Slot::Attachment, index, &error))
        }
        other => Ok(text_part(other)),
    };
    items(attachment).iter().enumerate().map(read).collect()
}

/// Reads a message of the history.
fn read_turn(item: &Value) -> Result<Turn, Error> {
    let Value::Object(map) = item else {
        let parts = vec![text_part(item)];
        return Ok(Turn { role: Role::User, parts, metadata: Map::new() });
    };
    let mut map = map.clone();
    // Other entries of a message are never sent.
    let metadata = map.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    if map.get("role").is_none_or(Value::is_null) {
        map.insert("role", Role::User.as_str());
    }
    let name = if map.contains_key("content") { "content" } else { "parts" };
    let written = match map.get(name) {
        Some(Value::Array(items)) => Some(items.clone()),
        _ => None,
    };
    // Parts are read one by one, so that a provider-specific part can be skipped and reported.
    if written.is_some() {
        map.insert(name, Value::from(Vec::<Value>::new()));
    }
    let message = Message::from_value(&Value::Object(map))?;
    let mut parts: Vec<TurnPart> = message.content.into_iter().map(TurnPart::Known).collect();
    for item in written.iter().flat_map(|items| items.iter()) {
        parts.push(match item {
            Value::Object(map) => read_part(map)?,
            other => TurnPart::Known(read_known_part(other)?),
        });
    }
    Ok(Turn { role: message.role, parts, metadata })
}

/// Reads a part from a map. A part with an unknown `type` is provider-specific.
fn read_part(map: &Map) -> Result<TurnPart, Error> {
    let value = Value::Object(map.clone());
    match (read_known_part(&value), map.get("type").and_then(Value::as_str)) {
        (Ok(part), _) => Ok(TurnPart::Known(part)),
        (Err(_), Some(kind)) if is_foreign(kind, map) => {
            Ok(TurnPart::Foreign { kind: kind.to_owned() })
        }
        (Err(error), _) => Err(error),
    }
}

/// Whether a part has an unknown type, or refers to a file that is stored at the provider.
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

/// Reads a part with the reader of messages, as the only content of a message.
fn read_known_part(value: &Value) -> Result<ContentPart, Error> {
    let message = Map::from([
        ("role", Value::from(Role::User.as_str())),
        ("content", Value::from(vec![value.clone()])),
    ]);
    let content: Content = Message::from_value(&message.into())?.content;
    content.into_iter().next().ok_or_else(|| {
        Error::new(ErrorKind::WrongInput, "the content part is empty")
            .with_help("remove the part, or give it a value")
    })
}

fn text_part(value: &Value) -> TurnPart {
    let text = match value {
        Value::String(text) => String::from(&**text),
        other => yaml::word(other),
    };
    TurnPart::Known(ContentPart::Text(text))
}

fn error_in_item(slot: Slot, index: usize, error: &Error) -> Error {
    let message = format!("in the slot `{slot}`, item {index}: {error}");
    Error::new(error.kind(), message).with_help_of(error.help())
}
