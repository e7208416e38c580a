//! A reply that arrives in chunks.

use super::event::FinishReason;
use super::events::{EventBuffer, Events};
use super::machine::Machine;
use super::outcome::{Part, Reply};
use super::sink::Sink;

/// The capacity in bytes for the text of a new stream. Most chunks are shorter.
const CHUNK_CAPACITY: usize = 64;

/// The capacity for the events of a new stream.
const EVENT_CAPACITY: usize = 4;

/// Reads a reply in chunks. The events do not depend on where the chunks end.
#[derive(Debug, Clone)]
pub struct ReplyStream {
    machine: Machine<'static>,
    events: EventBuffer,
    /// Whether the events of the prompt have not been returned yet.
    is_new: bool,
}

impl ReplyStream {
    pub(super) fn new(mut machine: Machine<'static>, first: &Reply) -> Self {
        machine.reserve_held(CHUNK_CAPACITY);
        let mut events = EventBuffer::with_capacity(CHUNK_CAPACITY, EVENT_CAPACITY);
        for part in first.parts() {
            match part {
                Part::Reasoning(text) => events.reasoning(text),
                Part::Content(text) => events.content(text),
                Part::Call(call) => call.begin(&mut events),
                Part::Malformed(_) | Part::Refusal(_) | Part::Other(_) => {}
            }
        }
        Self { machine, events, is_new: true }
    }

    /// Reads the next chunk, and returns the events that are certain now. A chunk of content
    /// allocates memory only if it is longer than all chunks before.
    pub fn push(&mut self, chunk: &str) -> Events<'_> {
        self.clear_events();
        self.machine.push(chunk, &mut self.events);
        self.events.events()
    }

    /// Ends the reply, and returns the remaining events. Chunks that are pushed later are ignored.
    pub fn finish(&mut self, reason: FinishReason) -> Events<'_> {
        self.clear_events();
        self.machine.finish(reason, &mut self.events);
        self.events.events()
    }

    fn clear_events(&mut self) {
        if !std::mem::take(&mut self.is_new) {
            self.events.clear();
        }
    }
}
