//! The events of one chunk of a reply, with their strings in one buffer.

use std::ops::Range;
use std::slice;

use super::event::{Event, Malformation};
#[cfg(feature = "parser")]
use super::sink::Sink;

/// The events of one chunk, in order.
#[derive(Debug, Clone)]
pub struct Events<'stream> {
    events: &'stream EventBuffer,
    records: slice::Iter<'stream, EventRecord>,
}

impl<'stream> Iterator for Events<'stream> {
    type Item = Event<'stream>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.records.next().map(|record| self.events.event(record))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl ExactSizeIterator for Events<'_> {}

impl<'stream> Events<'stream> {
    /// Returns only the content, which is the text to show to a person.
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

/// Events with their strings in one buffer, which is reused for each chunk.
/// Public for `prompty-wire`.
#[derive(Debug, Clone, Default)]
pub struct EventBuffer {
    text: String,
    records: Vec<EventRecord>,
}

/// An event whose strings are ranges of the buffer's text.
#[derive(Debug, Clone)]
enum EventRecord {
    Reasoning(Range<usize>),
    Content(Range<usize>),
    Started { index: usize, id: Range<usize>, name: Range<usize>, known: bool, free_text: bool },
    Arguments(usize, Range<usize>),
    Ended { index: usize, id: Range<usize>, complete: bool, repaired: bool },
    Malformed(Range<usize>, Malformation),
    Refusal(Range<usize>),
    Other(&'static str, Range<usize>),
}

impl EventBuffer {
    /// A buffer without events.
    pub const fn new() -> Self {
        Self { text: String::new(), records: Vec::new() }
    }

    /// Creates a buffer with capacity for `text` bytes and `events` events.
    #[cfg(feature = "parser")]
    pub(super) fn with_capacity(text: usize, events: usize) -> Self {
        Self { text: String::with_capacity(text), records: Vec::with_capacity(events) }
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
    }

    /// The events, in order.
    pub fn events(&self) -> Events<'_> {
        Events { events: self, records: self.records.iter() }
    }

    /// Appends a string to the text of the buffer.
    fn store(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    #[expect(clippy::string_slice, reason = "`store` returned the range, and the text only grows")]
    fn text(&self, range: &Range<usize>) -> &str {
        &self.text[range.clone()]
    }

    #[inline]
    fn event(&self, record: &EventRecord) -> Event<'_> {
        match record {
            EventRecord::Reasoning(text) => Event::Reasoning { text: self.text(text) },
            EventRecord::Content(text) => Event::Content { text: self.text(text) },
            EventRecord::Started { index, id, name, known, free_text } => Event::CallStarted {
                index: *index,
                id: self.text(id),
                name: self.text(name),
                known: *known,
                free_text: *free_text,
            },
            EventRecord::Arguments(index, text) => {
                Event::Arguments { index: *index, text: self.text(text) }
            }
            EventRecord::Ended { index, id, complete, repaired } => Event::CallEnded {
                index: *index,
                id: self.text(id),
                complete: *complete,
                repaired: *repaired,
            },
            EventRecord::Malformed(text, reason) => {
                Event::Malformed { text: self.text(text), reason: *reason }
            }
            EventRecord::Refusal(text) => Event::Refusal { text: self.text(text) },
            EventRecord::Other(protocol, json) => Event::Other { protocol, json: self.text(json) },
        }
    }

    /// Appends an event.
    #[inline]
    pub fn add(&mut self, event: Event<'_>) {
        let record = match event {
            Event::Reasoning { text } => EventRecord::Reasoning(self.store(text)),
            Event::Content { text } => EventRecord::Content(self.store(text)),
            Event::CallStarted { index, id, name, known, free_text } => {
                let (id, name) = (self.store(id), self.store(name));
                EventRecord::Started { index, id, name, known, free_text }
            }
            Event::Arguments { index, text } => EventRecord::Arguments(index, self.store(text)),
            Event::CallEnded { index, id, complete, repaired } => {
                EventRecord::Ended { index, id: self.store(id), complete, repaired }
            }
            Event::Malformed { text, reason } => EventRecord::Malformed(self.store(text), reason),
            Event::Refusal { text } => EventRecord::Refusal(self.store(text)),
            Event::Other { protocol, json } => EventRecord::Other(protocol, self.store(json)),
        };
        // Adjacent text of the same kind is one event. Arguments always belong to the latest call,
        // so their indices are equal.
        match (self.records.last_mut(), record) {
            (Some(EventRecord::Reasoning(last)), EventRecord::Reasoning(more))
            | (Some(EventRecord::Content(last)), EventRecord::Content(more))
            | (Some(EventRecord::Refusal(last)), EventRecord::Refusal(more))
            | (Some(EventRecord::Arguments(_, last)), EventRecord::Arguments(_, more)) => {
                last.end = more.end;
            }
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
