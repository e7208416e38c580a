//! Builds messages piece by piece, for compiled prompts.
//!
//! The writers produce the same messages as rendering and parsing: they follow the rules of
//! [`crate::parse`] for blank lines, leading text, threads and media. Without an intermediate
//! text, an input cannot forge a boundary.

use std::fmt;

use super::Print;
use super::sink::Sink;
use prompty_core::error::Error;
use prompty_core::message::{Content, ContentPart, Message, RepetitionBudget, Role, ThreadRoles};
use prompty_core::text::{trim_line_breaks, trim_line_breaks_start};
use prompty_core::value::{Map, Value};

/// Builds a message that contains one text.
#[derive(Debug, Default)]
pub struct TextWriter {
    text: String,
}

impl TextWriter {
    /// Makes a writer with capacity for this many bytes.
    #[inline]
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes) }
    }

    /// Finishes the message.
    #[inline]
    pub fn message(mut self, role: Role) -> Message {
        trim_in_place(&mut self.text);
        Message::new(role, self.text)
    }
}

/// Appends to a text, without blank lines at its beginning.
#[inline]
fn push(text: &mut String, added: &str) {
    // The compiler knows the first byte and the length of literal text, and removes this test.
    if added.starts_with('\n') && text.is_empty() {
        return push_first(text, added);
    }
    text.push_str(added);
}

/// Begins a text with one that has blank lines at its beginning.
#[cold]
fn push_first(text: &mut String, added: &str) {
    text.push_str(added.trim_start_matches('\n'));
}

/// Builds a list of messages.
#[derive(Debug)]
pub struct MessageWriter {
    messages: Vec<Message>,
    /// The role of the open message; `None` before the first marker.
    role: Option<Role>,
    metadata: Map,
    /// The finished parts of the open message.
    parts: Content,
    /// The text of the part that is being written.
    text: String,
    /// Whether the open message contained a thread.
    is_split: bool,
    /// The names of the threads and media that were written.
    used: UsedNames,
    /// The bytes that are left for repeated threads and media.
    repetitions: RepetitionBudget,
    /// The error of the first thread or media that is refused. No other one is written after it.
    refused: Option<Error>,
}

/// A set of names. The first one takes no allocation: most prompts have at most one thread or media.
#[derive(Debug, Default)]
struct UsedNames {
    first: Option<&'static str>,
    others: Vec<&'static str>,
}

impl UsedNames {
    /// Adds a name, and returns whether it is new.
    fn insert(&mut self, name: &'static str) -> bool {
        let Some(first) = self.first else {
            self.first = Some(name);
            return true;
        };
        let is_new = first != name && !self.others.contains(&name);
        if is_new {
            self.others.push(name);
        }
        is_new
    }
}

impl Default for MessageWriter {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            role: None,
            metadata: Map::new(),
            parts: Content::new(),
            text: String::new(),
            is_split: false,
            used: UsedNames::default(),
            repetitions: RepetitionBudget::DEFAULT,
            refused: None,
        }
    }
}

impl MessageWriter {
    /// Makes a writer with capacity for this many messages.
    pub fn with_capacity(messages: usize) -> Self {
        Self { messages: Vec::with_capacity(messages), ..Self::default() }
    }

    /// Ends the open message and opens another one, with capacity for this many bytes of text.
    pub fn open(&mut self, role: Role, capacity: usize) {
        self.close();
        self.role = Some(role);
        self.text = String::with_capacity(capacity);
    }

    /// Reserves capacity for this many bytes of text before the first marker.
    pub fn reserve(&mut self, capacity: usize) {
        self.text.reserve(capacity);
    }

    /// Adds an attribute to the open message.
    pub fn attribute(&mut self, name: &str, value: impl Into<Value>) {
        self.metadata.insert(name, value);
    }

    /// Adds the messages of a thread. `input` is its name, for the error that
    /// [`finish`](Self::finish) returns if a role is not allowed.
    pub fn thread(&mut self, input: &'static str, roles: &ThreadRoles, messages: &[Message]) {
        let bytes = || messages.iter().map(Message::copied_bytes).sum();
        if !self.may_use(input, bytes) {
            return;
        }
        self.push_trimmed(str::trim);
        self.flush();
        if let Err(refused) = roles.expand(input, messages, &mut self.messages) {
            self.refused = Some(refused);
        }
        self.is_split = true;
    }

    /// Adds an image, a file or audio; `None` adds nothing. `part` copies the input with this name.
    pub fn media(&mut self, input: &'static str, part: impl FnOnce() -> Option<ContentPart>) {
        if self.refused.is_some() {
            return;
        }
        let Some(part) = part() else { return };
        if self.may_use(input, || part.copied_bytes()) {
            self.push_trimmed(trim_line_breaks);
            self.parts.push(part);
        }
    }

    /// Whether a thread or media can be written. Charges for each use after the first one.
    fn may_use(&mut self, input: &'static str, bytes: impl FnOnce() -> usize) -> bool {
        if self.refused.is_some() {
            return false;
        }
        if self.used.insert(input) {
            return true;
        }
        if let Err(refused) = self.repetitions.charge(input, bytes()) {
            self.refused = Some(refused);
        }
        self.refused.is_none()
    }

    /// Finishes the messages.
    ///
    /// # Errors
    ///
    /// Returns an error if a thread does not allow the role of one of its messages, or if the uses
    /// of threads and media after their first ones take more than 16 MiB.
    pub fn finish(mut self) -> Result<Vec<Message>, Error> {
        self.close();
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self.messages),
        }
    }

    /// Makes the text without its ends a part, unless it is empty. `trim` removes the ends.
    fn push_trimmed(&mut self, trim: impl Fn(&str) -> &str) {
        let mut text = std::mem::take(&mut self.text);
        let kept = trim(&text);
        let (length, leading) = (kept.len(), kept.as_ptr().addr() - text.as_ptr().addr());
        // This truncates in place, because the text has its own allocation.
        text.truncate(leading + length);
        text.drain(..leading);
        if !text.is_empty() {
            self.parts.push(ContentPart::Text(text));
        }
    }

    /// Ends the open message.
    fn close(&mut self) {
        if self.parts.is_empty() && !self.is_split {
            self.close_text();
        } else {
            self.close_parts();
        }
    }

    /// Ends a message that is one text, like nearly all messages.
    fn close_text(&mut self) {
        let mut text = std::mem::take(&mut self.text);
        let Some(role) = self.role.take() else {
            // Leading text is a system message, unless it is blank.
            if !text.trim().is_empty() {
                trim_in_place(&mut text);
                self.messages.push(Message::system(text));
            }
            return;
        };
        trim_in_place(&mut text);
        let mut message = Message::new(role, text);
        message.metadata = std::mem::take(&mut self.metadata);
        self.messages.push(message);
    }

    /// Ends a message that contained threads or media.
    fn close_parts(&mut self) {
        // Directly after a thread, all white space is dropped; after media, only newlines.
        if self.is_split && self.parts.is_empty() {
            self.push_trimmed(str::trim);
        } else {
            self.push_trimmed(trim_line_breaks);
        }
        self.flush();
        self.role = None;
        self.is_split = false;
        self.metadata = Map::new();
    }

    /// Makes a message of the parts, if there are any.
    fn flush(&mut self) {
        if self.parts.is_empty() {
            return;
        }
        let role = self.role.clone().unwrap_or(Role::System);
        let mut message = Message::new(role, std::mem::take(&mut self.parts));
        message.metadata = self.metadata.clone();
        self.messages.push(message);
    }
}

/// Removes the line breaks at both ends. Nearly always, those at the beginning were never written.
#[inline]
fn trim_in_place(text: &mut String) {
    while text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    if text.starts_with('\r') {
        trim_start_in_place(text);
    }
}

/// Removes the line breaks at the beginning.
#[cold]
fn trim_start_in_place(text: &mut String) {
    let leading = text.len() - trim_line_breaks_start(text).len();
    text.drain(..leading);
}

macro_rules! sinks {
    ($($writer:ty)*) => {$(
        impl Sink for $writer {
            #[inline]
            fn literal(&mut self, text: &str) {
                push(&mut self.text, text);
            }

            #[inline]
            fn value<T: Print + ?Sized>(&mut self, value: &T) {
                // Writing to a `String` does not fail.
                let _ = value.print(self);
            }
        }

        impl fmt::Write for $writer {
            #[inline]
            fn write_str(&mut self, text: &str) -> fmt::Result {
                push(&mut self.text, text);
                Ok(())
            }
        }
    )*};
}

sinks!(TextWriter MessageWriter);

#[cfg(test)]
mod tests {
    use super::*;
    use prompty_core::message::Media;

    fn texts(writer: MessageWriter) -> Vec<(String, String)> {
        let messages = writer.finish().unwrap();
        messages.iter().map(|it| (it.role.to_string(), it.text())).collect()
    }

    #[test]
    fn blank_lines_at_both_ends_are_dropped_and_inner_ones_kept() {
        let mut writer = MessageWriter::default();
        writer.open(Role::User, 8);
        writer.literal("\n\n");
        writer.value("\na\n\nb\n");
        writer.literal("\n\n");
        assert_eq!(texts(writer), [("user".into(), "a\n\nb".into())]);
    }

    #[test]
    fn leading_text_is_a_system_message_unless_it_is_blank() {
        let mut writer = MessageWriter::default();
        writer.literal(" \n");
        writer.open(Role::User, 0);
        assert_eq!(texts(writer), [("user".into(), String::new())]);
        let mut writer = MessageWriter::default();
        writer.literal("a\n");
        assert_eq!(texts(writer), [("system".into(), "a".into())]);
    }

    #[test]
    fn a_thread_splits_its_message_and_media_do_not() {
        let mut writer = MessageWriter::default();
        writer.open(Role::User, 0);
        writer.attribute("id", 7);
        writer.literal("\na\n");
        writer.thread("h", &ThreadRoles::DEFAULT, &[Message::assistant("1")]);
        writer.literal("\n b\n");
        writer.media("p", || Some(ContentPart::Image(Media::new("u"))));
        writer.media("q", || None);
        let messages = writer.finish().unwrap();
        let shown: Vec<_> = messages.iter().map(|it| (it.content.len(), it.text())).collect();
        assert_eq!(shown, [(1, "a".into()), (1, "1".into()), (2, " b".into())]);
        assert_eq!(messages[2].metadata.len(), 1);
    }

    /// The same calls as in the code of a compiled prompt. The text must not be reallocated.
    #[test]
    fn a_text_is_allocated_once() {
        let mut writer = MessageWriter::with_capacity(2);
        writer.open(Role::System, "You are Ada.\n\n".len());
        let begins = writer.text.as_ptr();
        writer.literal("\nYou are ");
        writer.value("Ada");
        writer.literal(".\n\n");
        assert_eq!(writer.text.as_ptr(), begins);
        writer.open(Role::User, 0);
        let messages = writer.finish().unwrap();
        let ContentPart::Text(text) = &messages[0].content[0] else { panic!("a text") };
        assert_eq!((text.as_str(), text.as_ptr()), ("You are Ada.", begins));
        assert_eq!(messages.capacity(), 2);
    }

    #[test]
    fn a_thread_with_a_role_that_it_does_not_allow_is_refused() {
        let mut writer = MessageWriter::default();
        writer.open(Role::User, 0);
        writer.thread("h", &ThreadRoles::DEFAULT, &[Message::user("1")]);
        writer.thread("late", &ThreadRoles::DEFAULT, &[Message::system("2")]);
        writer.thread("later", &ThreadRoles::DEFAULT, &[Message::system("3")]);
        assert!(writer.finish().unwrap_err().to_string().starts_with("input `late`: at [0].role"));
    }

    #[test]
    fn a_text_before_a_thread_keeps_its_allocation() {
        let mut writer = MessageWriter::with_capacity(2);
        writer.open(Role::System, 16);
        writer.literal("\n  Be brief.\n\n");
        let begins = writer.text.as_ptr();
        writer.thread("h", &ThreadRoles::DEFAULT, &[Message::user("1")]);
        writer.literal("\n\n");
        assert_eq!(writer.text.capacity(), 0);
        let messages = writer.finish().unwrap();
        let ContentPart::Text(text) = &messages[0].content[0] else { panic!("a text") };
        assert_eq!((text.as_str(), text.as_ptr()), ("Be brief.", begins));
    }
}
