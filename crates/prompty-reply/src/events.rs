//! The events of one piece of a reply, with their texts in one buffer.

use std::ops::Range;

use super::event::{Event, Malformation};
#[cfg(feature = "parser")]
use super::sink::Sink;

/// The events of one piece, in order.
#[derive(Debug, Clone)]
pub struct Events<'stream> {
    events: &'stream EventBuffer,
    next: usize,
}

impl<'stream> Iterator for Events<'stream> {
    type Item = Event<'stream>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let record = self.events.records.get(self.next)?;
        self.next += 1;
        Some(self.events.event(record))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.events.records.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Events<'_> {}

impl<'stream> Events<'stream> {
    /// The texts of the content alone, which is what a person is shown.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// # #[cfg(feature = "parser")] {
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    /// let mut stream = ReplyParser::new(format).stream();
    /// let events = stream.push("<think>Hm.</think>Hello");
    /// assert_eq!(events.content().collect::<String>(), "Hello");
    /// # }
    /// ```
    pub fn content(self) -> impl Iterator<Item = &'stream str> {
        self.filter_map(|event| match event {
            Event::Content { text } => Some(text),
            _ => None,
        })
    }
}

/// Events with their texts in one buffer, which is used for each piece again. Public for `prompty-wire`.
#[derive(Debug, Clone, Default)]
pub struct EventBuffer {
    text: String,
    records: Vec<Record>,
}

#[derive(Debug, Clone)]
enum Record {
    Reasoning(Range<usize>),
    Content(Range<usize>),
    Started { index: usize, id: Range<usize>, name: Range<usize>, known: bool, free_text: bool },
    Arguments(usize, Range<usize>),
    Ended { index: usize, id: Range<usize>, complete: bool, mended: bool },
    Malformed(Range<usize>, Malformation),
    Refusal(Range<usize>),
    Other(&'static str, Range<usize>),
}

impl EventBuffer {
    /// A buffer without events.
    pub const fn new() -> Self {
        Self { text: String::new(), records: Vec::new() }
    }

    /// A buffer with room for a text of so many bytes, and for so many events.
    #[cfg(feature = "parser")]
    pub(super) fn with_capacity(text: usize, events: usize) -> Self {
        Self { text: String::with_capacity(text), records: Vec::with_capacity(events) }
    }

    /// Forgets all events.
    pub fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
    }

    /// The events, in order.
    pub fn events(&self) -> Events<'_> {
        Events { events: self, next: 0 }
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    #[expect(clippy::string_slice, reason = "`keep` gave the range, and the text only grows")]
    fn text(&self, range: &Range<usize>) -> &str {
        &self.text[range.clone()]
    }

    #[inline]
    fn event(&self, record: &Record) -> Event<'_> {
        match record {
            Record::Reasoning(text) => Event::Reasoning { text: self.text(text) },
            Record::Content(text) => Event::Content { text: self.text(text) },
            Record::Started { index, id, name, known, free_text } => Event::CallStarted {
                index: *index,
                id: self.text(id),
                name: self.text(name),
                known: *known,
                free_text: *free_text,
            },
            Record::Arguments(index, text) => {
                Event::Arguments { index: *index, text: self.text(text) }
            }
            Record::Ended { index, id, complete, mended } => Event::CallEnded {
                index: *index,
                id: self.text(id),
                complete: *complete,
                mended: *mended,
            },
            Record::Malformed(text, reason) => {
                Event::Malformed { text: self.text(text), reason: *reason }
            }
            Record::Refusal(text) => Event::Refusal { text: self.text(text) },
            Record::Other(protocol, json) => Event::Other { protocol, json: self.text(json) },
        }
    }

    /// Adds an event behind the others.
    #[inline]
    pub fn add(&mut self, event: Event<'_>) {
        let record = match event {
            Event::Reasoning { text } => Record::Reasoning(self.keep(text)),
            Event::Content { text } => Record::Content(self.keep(text)),
            Event::CallStarted { index, id, name, known, free_text } => {
                let (id, name) = (self.keep(id), self.keep(name));
                Record::Started { index, id, name, known, free_text }
            }
            Event::Arguments { index, text } => Record::Arguments(index, self.keep(text)),
            Event::CallEnded { index, id, complete, mended } => {
                Record::Ended { index, id: self.keep(id), complete, mended }
            }
            Event::Malformed { text, reason } => Record::Malformed(self.keep(text), reason),
            Event::Refusal { text } => Record::Refusal(self.keep(text)),
            Event::Other { protocol, json } => Record::Other(protocol, self.keep(json)),
        };
        // More of the same text is one event.
        match (self.records.last_mut(), record) {
            (Some(Record::Reasoning(last)), Record::Reasoning(more))
            | (Some(Record::Content(last)), Record::Content(more))
            | (Some(Record::Refusal(last)), Record::Refusal(more))
            | (Some(Record::Arguments(_, last)), Record::Arguments(_, more)) => last.end = more.end,
            (_, record) => self.records.push(record),
        }
    }
}

#[cfg(feature = "parser")]
impl Sink for EventBuffer {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        self.add(event);
    }
}
