//! What the prompt's tail leaves undecided: it is read with the reply, and is no part of it.

use crate::reply::event::{Channel, Malformation, Sink};
use prompty_core::text::slice;

/// Counts the bytes that are told as something.
pub(super) struct Counted<'sink, S> {
    pub(super) sink: &'sink mut S,
    pub(super) read: usize,
}

impl<S: Sink> Sink for Counted<'_, S> {
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
pub(super) struct Behind<'sink> {
    // Not generic: reading behind a prompt's tail is rare, and the machine's code is long.
    pub(super) sink: &'sink mut dyn Sink,
    /// How many bytes of the prompt are still to come.
    pub(super) left: usize,
    /// Whether they are told as text all the same: they belong to a message whose text is.
    pub(super) is_told: bool,
}

impl Behind<'_> {
    /// What is told of a piece of text.
    fn told<'text>(&self, text: &'text str) -> &'text str {
        if self.is_told { text } else { self.own(text) }
    }

    /// What of a piece is the reply's.
    fn own<'text>(&self, text: &'text str) -> &'text str {
        slice(text, self.left.min(text.len())..)
    }
}

impl Sink for Behind<'_> {
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
