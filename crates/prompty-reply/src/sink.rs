//! Sinks: receivers of the events while the machine reads a reply. A reply and a stream are sinks.
//! The sinks of this file change or count the events and pass them on.

use std::collections::{BTreeSet, HashMap};

use super::event::{Channel, Event, Malformation};
use prompty_core::work::add_steps;

/// Receives the events of a reply, in order.
pub(super) trait Sink {
    fn event(&mut self, event: Event<'_>);

    /// Content from the prompt that the reply's text does not have: the opener of reasoning.
    fn content_of_prompt(&mut self, text: &str) {
        self.event(Event::Content { text });
    }

    /// A piece of the reply's text with its channel. The pieces add up to the complete text, in
    /// order.
    fn read(&mut self, _channel: Channel, _text: &str) {}

    #[inline]
    fn reasoning(&mut self, text: &str) {
        self.event(Event::Reasoning { text });
    }

    #[inline]
    fn content(&mut self, text: &str) {
        self.event(Event::Content { text });
    }

    #[inline]
    fn arguments(&mut self, index: usize, text: &str) {
        self.event(Event::Arguments { index, text });
    }

    fn malformed(&mut self, text: &str, reason: Malformation) {
        self.event(Event::Malformed { text, reason });
    }
}

/// Counts the bytes of the pieces of text.
pub(super) struct CountingSink<'sink, S> {
    pub(super) sink: &'sink mut S,
    pub(super) read: usize,
}

impl<S: Sink> Sink for CountingSink<'_, S> {
    fn event(&mut self, event: Event<'_>) {
        self.sink.event(event);
    }

    #[inline]
    fn arguments(&mut self, index: usize, text: &str) {
        self.sink.arguments(index, text);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        self.read += text.len();
        self.sink.read(channel, text);
    }
}

/// Drops the first bytes of the text, which belong to the prompt.
pub(super) struct SkippingSink<'sink> {
    // Not generic: prompt tails are rare, and a second copy of the machine's code would be large.
    pub(super) sink: &'sink mut dyn Sink,
    /// How many bytes of the prompt have not arrived yet.
    pub(super) left: usize,
    /// Whether the dropped bytes are still reported as reasoning or content.
    pub(super) reports_prompt: bool,
}

impl SkippingSink<'_> {
    /// The part of a piece that belongs to the reply. A text arrives first as an event and then in
    /// `read`, so both get the same part: only `read` changes `left`.
    #[expect(clippy::string_slice, reason = "`ceil_char_boundary` gives a place in the text")]
    fn reply_part<'text>(&self, text: &'text str) -> &'text str {
        &text[text.ceil_char_boundary(self.left)..]
    }
}

impl Sink for SkippingSink<'_> {
    fn event(&mut self, mut event: Event<'_>) {
        if let Event::Reasoning { text } | Event::Content { text } = &mut event {
            *text = if self.reports_prompt { text } else { self.reply_part(text) };
            if text.is_empty() {
                return;
            }
        }
        self.sink.event(event);
    }

    fn content_of_prompt(&mut self, text: &str) {
        self.sink.content(text);
    }

    fn read(&mut self, channel: Channel, text: &str) {
        let own = self.reply_part(text);
        self.left -= text.len() - own.len();
        if !own.is_empty() {
            self.sink.read(channel, own);
        }
    }
}

/// Puts data back in the place of its placeholder words. The tail of a prompt has such words where
/// data looks like markup.
pub(super) struct UnmaskingSink<'r, S> {
    pub(super) sink: &'r mut S,
    pub(super) masks: Masks<'r>,
}

/// Placeholder words and the texts that they represent. No word is a prefix of another one.
pub(super) struct Masks<'r> {
    /// The common prefix of all words.
    stem: &'r str,
    /// The lengths of the words in bytes.
    lengths: BTreeSet<usize>,
    texts: HashMap<&'r str, &'r str>,
}

impl<'r> Masks<'r> {
    #[expect(clippy::string_slice, reason = "`end` is the end of a character of `first`")]
    pub(super) fn new(texts: &'r [(String, String)]) -> Self {
        let words = || texts.iter().map(|(word, _)| word.as_str());
        // In sorted order, every word shares the common prefix of the first and the last one.
        let (first, last) = (words().min().unwrap_or_default(), words().max().unwrap_or_default());
        let same = first.char_indices().zip(last.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, letter), _)| at + letter.len_utf8());
        let stem = &first[..end];
        let lengths = words().map(str::len).collect();
        let texts = texts.iter().map(|(word, text)| (word.as_str(), text.as_str())).collect();
        Self { stem, lengths, texts }
    }

    /// Replaces the words by their texts. The text is read once, however many words there are: only
    /// where the stem is, each possible length of a word is looked up.
    #[expect(clippy::string_slice, reason = "`at` is the end of a word that was found there")]
    fn unmask(&self, text: &str) -> String {
        add_steps(text.len());
        let mut unmasked = String::with_capacity(text.len());
        let mut at = 0;
        for (start, _) in text.match_indices(self.stem).filter(|_| !self.texts.is_empty()) {
            let words = self.lengths.iter().filter_map(|length| text.get(start..start + length));
            let mut found = words.filter_map(|word| Some((word.len(), *self.texts.get(word)?)));
            if let (Some(front), Some((length, text))) = (text.get(at..start), found.next_back()) {
                unmasked.push_str(front);
                unmasked.push_str(text);
                at = start + length;
            }
        }
        unmasked.push_str(&text[at..]);
        unmasked
    }
}

impl<S: Sink> Sink for UnmaskingSink<'_, S> {
    fn event(&mut self, event: Event<'_>) {
        let Self { sink, masks } = self;
        let own = |text: &str| masks.unmask(text);
        match event {
            Event::Reasoning { text } => sink.reasoning(&own(text)),
            Event::Content { text } => sink.content(&own(text)),
            Event::Arguments { index, text } => sink.arguments(index, &own(text)),
            Event::Malformed { text, reason } => sink.malformed(&own(text), reason),
            Event::CallStarted { index, id, name, known, free_text } => {
                let (id, name) = (&*own(id), &*own(name));
                sink.event(Event::CallStarted { index, id, name, known, free_text });
            }
            Event::CallEnded { index, id, complete, repaired } => {
                sink.event(Event::CallEnded { index, id: &own(id), complete, repaired });
            }
            Event::Refusal { text } => sink.event(Event::Refusal { text: &own(text) }),
            Event::Other { .. } => sink.event(event),
        }
    }

    fn read(&mut self, channel: Channel, text: &str) {
        let text = self.masks.unmask(text);
        self.sink.read(channel, &text);
    }
}

#[cfg(test)]
mod tests {
    use work_counting::{assert_linear, count_work};

    use super::Masks;

    #[test]
    fn each_word_is_replaced_by_its_text() {
        let texts = [("w3z", "three"), ("w12z", ""), ("w14z", "w3z")];
        let texts = texts.map(|(word, text)| (word.to_owned(), text.to_owned()));
        let masks = Masks::new(&texts);
        assert_eq!(masks.unmask("é w3z w12zw14z w4z w"), "é three w3z w4z w");
        assert_eq!(Masks::new(&[]).unmask("w3z"), "w3z");
        assert_eq!(Masks::new(&texts[..1]).unmask("aw3zb"), "athreeb");
    }

    #[test]
    fn unmasking_many_words_takes_linear_work() {
        assert_linear("unmasking", 1_000, |size| {
            let word = |index: usize| (format!("w{index:05}z"), "x".to_owned());
            let texts: Vec<_> = (0..size).map(word).collect();
            let masked: String = texts.iter().map(|(word, _)| word.as_str()).collect();
            count_work(|| assert_eq!(Masks::new(&texts).unmask(&masked), "x".repeat(size))).1
        });
    }
}
