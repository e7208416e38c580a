//! A reply that comes in pieces.

use std::ops::Range;

use super::event::{Event, FinishReason, Malformation};
use super::machine::Machine;
use super::outcome::{Part, Reply};
use super::sink::Sink;
use prompty_core::text::slice;

/// The bytes of text that a new stream has room for. Pieces are mostly shorter.
const PIECE: usize = 64;

/// The events that it has room for.
const EVENTS: usize = 4;

/// Reads a reply piece by piece. However the reply is cut into pieces, its events say the same.
#[derive(Debug, Clone)]
pub struct ReplyStream {
    machine: Machine<'static>,
    events: EventBuffer,
    /// Whether the events of the prompt have still to be given out.
    is_new: bool,
}

impl ReplyStream {
    pub(super) fn new(mut machine: Machine<'static>, first: &Reply) -> Self {
        machine.expect_pieces(PIECE);
        let mut events =
            EventBuffer { text: String::with_capacity(PIECE), records: Vec::with_capacity(EVENTS) };
        for part in first.parts() {
            match part {
                Part::Reasoning(text) => events.reasoning(text),
                Part::Content(text) => events.content(text),
                Part::Call(call) => call.begin(&mut events),
                Part::Malformed(_) => {}
            }
        }
        Self { machine, events, is_new: true }
    }

    /// Reads the next piece, and gives the events that it decides. Nothing is allocated for a piece of
    /// content, unless it is longer than all before.
    pub fn push(&mut self, piece: &str) -> Events<'_> {
        self.clear_events();
        self.machine.push(piece, &mut self.events);
        Events { events: &self.events, next: 0 }
    }

    /// Ends the reply, and gives the events that were left. Pieces pushed behind the end are not read.
    pub fn finish(&mut self, reason: FinishReason) -> Events<'_> {
        self.clear_events();
        self.machine.finish(reason, &mut self.events);
        Events { events: &self.events, next: 0 }
    }

    fn clear_events(&mut self) {
        if !std::mem::take(&mut self.is_new) {
            self.events.records.clear();
            self.events.text.clear();
        }
    }
}

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

/// Events with their texts in one buffer, which is used for each piece again.
#[derive(Debug, Clone)]
struct EventBuffer {
    text: String,
    records: Vec<Record>,
}

#[derive(Debug, Clone)]
enum Record {
    Reasoning(Range<usize>),
    Content(Range<usize>),
    Started { index: usize, id: Range<usize>, name: Range<usize>, known: bool },
    Arguments(usize, Range<usize>),
    Ended { index: usize, id: Range<usize>, complete: bool, mended: bool },
    Malformed(Range<usize>, Malformation),
}

impl EventBuffer {
    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    fn text(&self, range: &Range<usize>) -> &str {
        slice(&self.text, range.clone())
    }

    #[inline]
    fn event(&self, record: &Record) -> Event<'_> {
        match record {
            Record::Reasoning(text) => Event::Reasoning { text: self.text(text) },
            Record::Content(text) => Event::Content { text: self.text(text) },
            Record::Started { index, id, name, known } => Event::CallStarted {
                index: *index,
                id: self.text(id),
                name: self.text(name),
                known: *known,
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
        }
    }
}

impl Sink for EventBuffer {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        let record = match event {
            Event::Reasoning { text } => Record::Reasoning(self.keep(text)),
            Event::Content { text } => Record::Content(self.keep(text)),
            Event::CallStarted { index, id, name, known } => {
                Record::Started { index, id: self.keep(id), name: self.keep(name), known }
            }
            Event::Arguments { index, text } => Record::Arguments(index, self.keep(text)),
            Event::CallEnded { index, id, complete, mended } => {
                Record::Ended { index, id: self.keep(id), complete, mended }
            }
            Event::Malformed { text, reason } => Record::Malformed(self.keep(text), reason),
        };
        // More of the same text is one event.
        match (self.records.last_mut(), record) {
            (Some(Record::Reasoning(last)), Record::Reasoning(more))
            | (Some(Record::Content(last)), Record::Content(more))
            | (Some(Record::Arguments(_, last)), Record::Arguments(_, more)) => last.end = more.end,
            (_, record) => self.records.push(record),
        }
    }
}
