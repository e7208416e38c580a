//! Sinks: what takes the events of a reply while the machine reads it. A reply and a stream are
//! sinks; the sinks of this file change or count the events and pass them on.

use super::event::{Channel, Malformation};
use prompty_core::text::slice;

/// Takes the events of a reply, in order.
pub(super) trait Sink {
    fn reasoning(&mut self, text: &str);
    fn content(&mut self, text: &str);
    /// Content that the prompt has and the reply's text does not: the opener of reasoning.
    fn content_of_prompt(&mut self, text: &str) {
        self.content(text);
    }
    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool);
    fn arguments(&mut self, index: usize, text: &str);
    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool);
    fn malformed(&mut self, text: &str, reason: Malformation);
    /// A piece of the reply's text, and what it was read as. The pieces are the whole text, in order.
    fn read(&mut self, _channel: Channel, _text: &str) {}
}

/// Counts the bytes of the pieces of text.
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

/// Leaves out the first bytes of the text, which are the prompt's.
pub(super) struct SkippingSink<'sink> {
    // Not generic: reading behind a prompt's tail is rare, and the machine's code is long.
    pub(super) sink: &'sink mut dyn Sink,
    /// How many bytes of the prompt are still to come.
    pub(super) left: usize,
    /// Whether they are reported as reasoning or content all the same.
    pub(super) reports_prompt: bool,
}

impl SkippingSink<'_> {
    /// The part of a piece that is reported.
    fn reported<'text>(&self, text: &'text str) -> &'text str {
        if self.reports_prompt { text } else { self.reply_part(text) }
    }

    /// The part of a piece that is the reply's.
    fn reply_part<'text>(&self, text: &'text str) -> &'text str {
        slice(text, self.left.min(text.len())..)
    }
}

impl Sink for SkippingSink<'_> {
    fn reasoning(&mut self, text: &str) {
        let reported = self.reported(text);
        if !reported.is_empty() {
            self.sink.reasoning(reported);
        }
    }

    fn content(&mut self, text: &str) {
        let reported = self.reported(text);
        if !reported.is_empty() {
            self.sink.content(reported);
        }
    }

    fn content_of_prompt(&mut self, text: &str) {
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
        let own = self.reply_part(text);
        self.left -= text.len() - own.len();
        if !own.is_empty() {
            self.sink.read(channel, own);
        }
    }
}

/// Puts data back in the place of the words that stood for it. The tail of a prompt is read with such
/// words where data spells markup.
#[cfg(feature = "chat")]
pub(super) struct UnmaskingSink<'r, S> {
    pub(super) sink: &'r mut S,
    /// Each word, and the text that it stands for.
    pub(super) texts: &'r [(String, String)],
}

#[cfg(feature = "chat")]
impl<S> UnmaskingSink<'_, S> {
    fn unmask(&self, text: &str) -> String {
        let put = |text: String, (word, data): &(String, String)| text.replace(word, data);
        self.texts.iter().fold(text.to_owned(), put)
    }
}

#[cfg(feature = "chat")]
impl<S: Sink> Sink for UnmaskingSink<'_, S> {
    fn reasoning(&mut self, text: &str) {
        let text = self.unmask(text);
        self.sink.reasoning(&text);
    }

    fn content(&mut self, text: &str) {
        let text = self.unmask(text);
        self.sink.content(&text);
    }

    fn call_started(&mut self, index: usize, id: &str, name: &str, known: bool) {
        let (id, name) = (self.unmask(id), self.unmask(name));
        self.sink.call_started(index, &id, &name, known);
    }

    fn arguments(&mut self, index: usize, text: &str) {
        let text = self.unmask(text);
        self.sink.arguments(index, &text);
    }

    fn call_ended(&mut self, index: usize, id: &str, complete: bool, mended: bool) {
        let id = self.unmask(id);
        self.sink.call_ended(index, &id, complete, mended);
    }

    fn malformed(&mut self, text: &str, reason: Malformation) {
        let text = self.unmask(text);
        self.sink.malformed(&text, reason);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        let text = self.unmask(text);
        self.sink.read(channel, &text);
    }
}
