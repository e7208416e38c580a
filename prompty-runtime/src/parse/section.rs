//! A message of a rendered text, before its rich inputs are put in place.

use prompty_core::message::{Content, Message, Role};
use prompty_core::value::Map;

/// A message before its rich inputs are put in place: a slice of the rendered text.
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

/// Without the newlines at both ends (§6.6; the reference cases keep lines of spaces).
pub(super) fn trim_blank_lines(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix('\n') {
        text = rest;
    }
    while let Some(rest) = text.strip_suffix('\n') {
        text = rest;
    }
    text
}
