//! A reply that comes in pieces.

use super::event::FinishReason;
use super::events::{EventBuffer, Events};
use super::machine::Machine;
use super::outcome::{Part, Reply};
use super::sink::Sink;

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
        let mut events = EventBuffer::with_capacity(PIECE, EVENTS);
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

    /// Reads the next piece, and gives the events that it decides. Nothing is allocated for a piece of
    /// content, unless it is longer than all before.
    pub fn push(&mut self, piece: &str) -> Events<'_> {
        self.clear_events();
        self.machine.push(piece, &mut self.events);
        self.events.events()
    }

    /// Ends the reply, and gives the events that were left. Pieces pushed behind the end are not read.
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
