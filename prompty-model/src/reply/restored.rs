//! A prompt's tail is read with words in the place of data that spells markup; what was read gets the
//! data back.

use super::event::{Channel, Malformation, Sink};

/// Hands on what is read, with texts in the place of words.
pub(super) struct Restored<'r, S> {
    pub(super) sink: &'r mut S,
    /// Each word, and the text that it stands for.
    pub(super) texts: &'r [(String, String)],
}

impl<S> Restored<'_, S> {
    fn text(&self, text: &str) -> String {
        let put = |text: String, (word, data): &(String, String)| text.replace(word, data);
        self.texts.iter().fold(text.to_owned(), put)
    }
}

impl<S: Sink> Sink for Restored<'_, S> {
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
