//! What slots became, and what could not become a part of it.

use std::fmt;

use crate::error::{Error, ErrorKind};

use super::slot::Slot;

/// A prompt as text or messages, and what of its slots is not in it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "what could not be sent is told beside the prompt"]
#[non_exhaustive]
pub struct Written<T> {
    /// The text, or the messages.
    pub prompt: T,
    /// The parts that are not in it, in order.
    pub skipped: Vec<Skipped>,
}

/// A part or a value that a prompt could not take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The slot that has it.
    pub slot: Slot,
    /// What kind of part it is: `image`, or the `type` of a provider's own. Of a value it is its type:
    /// `integer`, `float` or `boolean`.
    pub kind: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_part() { "part" } else { "value" };
        write!(f, "a {what} of kind `{}` in the slot `{}`", self.kind, self.slot)
    }
}

impl Skipped {
    /// Whether it is a part of a message, and not the value of a block.
    fn is_part(&self) -> bool {
        matches!(self.slot, Slot::ChatHistory | Slot::Attachment)
    }

    fn help(&self) -> &'static str {
        if self.is_part() {
            "media need messages with rich content: \
             `to_messages_with(&Layout::new().rich_content(true))`"
        } else {
            "zero and `false` have no block: give the slot a text, such as \"0\" or \"no\""
        }
    }
}

impl<T> Written<T> {
    /// The prompt, if all parts are in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] that names what is not.
    pub fn complete(self) -> Result<T, Error> {
        let Some(first) = self.skipped.first() else { return Ok(self.prompt) };
        let message = match self.skipped.len() {
            1 => format!("{first} cannot be sent"),
            count => format!("{first} cannot be sent, and {} more", count - 1),
        };
        Err(Error::new(ErrorKind::WrongInput, message).with_help(first.help()))
    }
}
