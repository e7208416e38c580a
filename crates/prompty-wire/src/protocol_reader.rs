//! The interface of each protocol's reader.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assembler::Assembler;
use super::error::Result;
use prompty_reply::Reply;

/// The data after the last chunk of chat completions.
pub(super) const DONE: &str = "[DONE]";

/// What an event says about the following events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterEvent {
    /// More events may follow.
    More,
    /// No more events follow.
    End,
    /// It is not an event of the protocol.
    Unknown,
}

/// Reads the answers of one protocol.
pub(super) trait ProtocolReader {
    /// A reader, with the names of the offered tools, if they are known.
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self
    where
        Self: Sized;

    /// Reads the JSON of an event, or of a complete answer.
    fn read(&mut self, json: &str) -> Result<AfterEvent>;

    /// Reads the JSON of a complete answer.
    fn read_complete(&mut self, json: &str) -> Result<AfterEvent> {
        self.read(json)
    }

    /// The assembler of the reply.
    fn assembler(&self) -> &Assembler;

    fn assembler_mut(&mut self) -> &mut Assembler;

    /// The number of items that need memory of their own.
    fn item_count(&self) -> usize {
        self.assembler().item_count()
    }

    /// Whether the provider said why the reply ended.
    fn is_finished(&self) -> bool {
        self.assembler().is_finished()
    }

    /// Ends the reply.
    fn end(&mut self);

    /// Takes the reply.
    fn take_reply(&mut self) -> Reply {
        std::mem::take(self.assembler_mut()).into_reply()
    }
}
