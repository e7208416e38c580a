//! What brings a lazy grammar into force: the text with which a call begins.

use crate::reply::format::ReplyFormat;
use prompty_core::message::Tool;

use super::call;

/// What brings a lazy grammar into force, from where it begins in the reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// This text, wherever it stands.
    Word(String),
    /// A regular expression, over the reply from its start.
    Pattern(String),
}

impl Trigger {
    /// The text that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Pattern(_) => None,
        }
    }
}

/// What a call of these tools begins with.
pub(super) fn of(format: &ReplyFormat, tools: &[&Tool]) -> Vec<Trigger> {
    if tools.is_empty() {
        return Vec::new();
    }
    if let Some(headers) = &format.headers {
        let word = format!("{}{}", headers.recipient, headers.namespace);
        // A recipient's text alone may name what is no tool.
        return match headers.namespace.is_empty() {
            false => vec![Trigger::Word(word)],
            true => {
                tools.iter().map(|tool| Trigger::Word(format!("{word}{}", tool.name))).collect()
            }
        };
    }
    call::openers(format).into_iter().map(Trigger::Word).collect()
}
