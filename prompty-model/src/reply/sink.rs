//! What takes the events of a reply as the machine reads it, and the sinks that pass them on changed.

use super::event::{Channel, Malformation};
use prompty_core::text::slice;

/// Takes what the machine reads.
pub(super) trait Sink {
    fn reasoning(&mut self, text: &str);
    fn content(&mut self, text: &str);
    /// Content that is not in the text: the opener of reasoning, which the prompt has.
    fn restored(&mut self, text: &str) {
        self.content(text);
    }
    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool);
    fn arguments(&mut self, index: usize, text: &str);
    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool);
    fn malformed(&mut self, text: &str, reason: Malformation);
    /// Every piece of the reply's text, in order, and what it was read as.
    fn read(&mut self, _channel: Channel, _text: &str) {}
}

/// Counts the bytes that are told as something.
pub(super) struct CountingSink<'sink, S> {
    pub(super) sink: &'sink mut S,
    pub(super) read: usize,
}

impl<S: Sink> Sink for CountingSink<'_, S> {
    fn reasoning(&mut self, text: &str) {
        self.sink.reasoning(text);
    }

    fn content(&mut self, text: &str) {
        self.sink.content(text);
    }

    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool) {
        self.sink.call_started(index, id, name, known);
    }

    fn arguments(&mut self, index: usize, text: &str) {
        self.sink.arguments(index, text);
    }

    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool) {
        self.sink.call_ended(index, id, complete, mended);
    }

    fn malformed(&mut self, text: &str, reason: Malformation) {
        self.sink.malformed(text, reason);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        self.read += text.len();
        self.sink.read(channel, text);
    }
}

/// Leaves out the first bytes of what is told, which are the prompt's.
pub(super) struct SkippingSink<'sink> {
    // Not generic: reading behind a prompt's tail is rare, and the machine's code is long.
    pub(super) sink: &'sink mut dyn Sink,
    /// How many bytes of the prompt are still to come.
    pub(super) left: usize,
    /// Whether they are told as text all the same: they belong to a message whose text is.
    pub(super) is_told: bool,
}

impl SkippingSink<'_> {
    /// What is told of a piece of text.
    fn told<'text>(&self, text: &'text str) -> &'text str {
        if self.is_told { text } else { self.own(text) }
    }

    /// What of a piece is the reply's.
    fn own<'text>(&self, text: &'text str) -> &'text str {
        slice(text, self.left.min(text.len())..)
    }
}

impl Sink for SkippingSink<'_> {
    fn reasoning(&mut self, text: &str) {
        let told = self.told(text);
        if !told.is_empty() {
            self.sink.reasoning(told);
        }
    }

    fn content(&mut self, text: &str) {
        let told = self.told(text);
        if !told.is_empty() {
            self.sink.content(told);
        }
    }

    fn restored(&mut self, text: &str) {
        self.sink.content(text);
    }

    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool) {
        self.sink.call_started(index, id, name, known);
    }

    fn arguments(&mut self, index: usize, text: &str) {
        self.sink.arguments(index, text);
    }

    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool) {
        self.sink.call_ended(index, id, complete, mended);
    }

    fn malformed(&mut self, text: &str, reason: Malformation) {
        self.sink.malformed(text, reason);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        let own = self.own(text);
        self.left -= text.len() - own.len();
        if !own.is_empty() {
            self.sink.read(channel, own);
        }
    }
}

/// Hands on what is read, with texts in the place of words.
#[cfg(feature = "chat")]
pub(super) struct UnmaskingSink<'r, S> {
    pub(super) sink: &'r mut S,
    /// Each word, and the text that it stands for.
    pub(super) texts: &'r [(String, String)],
}

#[cfg(feature = "chat")]
impl<S> UnmaskingSink<'_, S> {
    fn text(&self, text: &str) -> String {
        let put = |text: String, (word, data): &(String, String)| text.replace(word, data);
        self.texts.iter().fold(text.to_owned(), put)
    }
}

#[cfg(feature = "chat")]
impl<S: Sink> Sink for UnmaskingSink<'_, S> {
    fn reasoning(&mut self, text: &str) {
        let text = self.text(text);
        self.sink.reasoning(&text);
    }

    fn content(&mut self, text: &str) {
        let text = self.text(text);
        self.sink.content(&text);
    }

    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool) {
        let (id, name) = (self.text(id), self.text(name));
        self.sink.call_started(index, &id, &name, known);
    }

    fn arguments(&mut self, index: usize, text: &str) {
        let text = self.text(text);
        self.sink.arguments(index, &text);
    }

    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool) {
        let id = self.text(id);
        self.sink.call_ended(index, &id, complete, mended);
    }

    fn malformed(&mut self, text: &str, reason: Malformation) {
        let text = self.text(text);
        self.sink.malformed(&text, reason);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        let text = self.text(text);
        self.sink.read(channel, &text);
    }
}
