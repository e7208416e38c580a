//! The result of writing slots, with the parts that were skipped.

use std::fmt;

use crate::error::{Error, ErrorKind};

use super::slot::Slot;

/// A prompt as text or messages, and the parts of its slots that are not in it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "`skipped` has the parts that cannot be sent"]
#[non_exhaustive]
pub struct Written<T> {
    /// The text, or the messages.
    pub prompt: T,
    /// The parts that are not in the prompt, in order.
    pub skipped: Vec<Skipped>,
}

/// A part or a value that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The slot of the part or value.
    pub slot: Slot,
    /// The kind of a part: `image`, or the `type` of a provider-specific part. The type of a value:
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
    /// Whether it is a part of a message instead of a value of a block.
    fn is_part(&self) -> bool {
        matches!(self.slot, Slot::ChatHistory | Slot::Attachment)
    }

    fn help(&self) -> &'static str {
        if self.is_part() {
            "to send media, use messages with rich content: \
             `to_messages_with(&Layout::new().with_rich_content(true))`"
        } else {
            "zero and `false` have no block; pass a string, such as \"0\" or \"no\""
        }
    }
}

impl<T> Written<T> {
    /// Returns the prompt if nothing was skipped.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] for the skipped parts.
    pub fn complete(self) -> Result<T, Error> {
        let Some(first) = self.skipped.first() else { return Ok(self.prompt) };
        let message = match self.skipped.len() {
            1 => format!("{first} cannot be sent"),
            count => format!("{first} and {} more cannot be sent", count - 1),
        };
        Err(Error::new(ErrorKind::WrongInput, message).with_help(first.help()))
    }
}
