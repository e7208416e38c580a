//! A message of a rendered text, before its placeholders are replaced.

use prompty_core::message::{Content, Message, Role};
use prompty_core::value::Map;

/// A message before its placeholders are replaced, as a slice of the rendered text.
pub(super) struct Section<'text> {
    pub(super) role: Role,
    pub(super) metadata: Map,
    pub(super) text: &'text str,
}

impl Section<'_> {
    pub(super) fn into_message(self) -> Message {
        let content = Content::from(trim_blank_lines(self.text));
        let mut message = Message::new(self.role, content);
        message.metadata = self.metadata;
        message
    }
}

/// Removes the newlines at both ends (§6.6). Lines of spaces stay, as in the reference cases.
pub(super) fn trim_blank_lines(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix('\n') {
        text = rest;
    }
    while let Some(rest) = text.strip_suffix('\n') {
        text = rest;
    }
    text
}
