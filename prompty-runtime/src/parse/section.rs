//! A message of a rendered text, before and while its placeholders are replaced.

use prompty_core::message::{Content, ContentPart, Message, Role};
use prompty_core::text::trim_line_breaks;
use prompty_core::value::Map;

/// A message before its placeholders are replaced, as a slice of the rendered text.
pub(super) struct Section<'text> {
    pub(super) role: Role,
    pub(super) metadata: Map,
    pub(super) text: &'text str,
    /// Whether the line breaks at both ends of the text belong to the message. If not, they are
    /// removed (§6.6). Lines of spaces stay, as in the reference cases.
    pub(super) keeps_ends: bool,
}

impl Section<'_> {
    pub(super) fn into_message(self) -> Message {
        let text = if self.keeps_ends { self.text } else { trim_line_breaks(self.text) };
        let content = Content::from(text);
        let mut message = Message::new(self.role, content);
        message.metadata = self.metadata;
        message
    }
}

/// A message that is being built.
pub(super) struct OpenMessage {
    message: Message,
    /// Whether a thread has split the message, so that its first part is already finished.
    is_split: bool,
}

impl OpenMessage {
    pub(super) fn new(message: Message) -> Self {
        Self { message, is_split: false }
    }

    pub(super) fn push(&mut self, part: ContentPart) {
        self.message.content.push(part);
    }

    pub(super) fn push_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(ContentPart::from(text));
        }
    }

    /// Whether a thread comes directly before the next part.
    pub(super) fn follows_thread(&self) -> bool {
        self.is_split && self.message.content.is_empty()
    }

    /// Finishes the parts before a thread. The parts after it become a message with the same role
    /// and metadata.
    pub(super) fn split(&mut self, messages: &mut Vec<Message>) {
        self.is_split = true;
        let content = std::mem::take(&mut self.message.content);
        if !content.is_empty() {
            let mut message = self.message.clone();
            message.content = content;
            messages.push(message);
        }
    }

    /// Finishes the message. A message without content has one empty text, unless it was split.
    pub(super) fn close(mut self, messages: &mut Vec<Message>) {
        if self.follows_thread() {
            return;
        }
        if self.message.content.is_empty() {
            self.message.content = Content::from("");
        }
        messages.push(self.message);
    }
}
