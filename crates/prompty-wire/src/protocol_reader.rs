//! What the reader of each protocol does.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assembler::Assembler;
use super::error::Result;
use prompty_reply::Reply;

/// The data behind the last chunk of chat completions.
pub(super) const DONE: &str = "[DONE]";

/// What an event says of those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// More may come.
    More,
    /// Nothing more comes.
    Nothing,
    /// It is no event of the protocol, and so says nothing.
    Unknown,
}

/// Reads the answers of one protocol.
pub(super) trait ProtocolReader: Sized {
    /// A reader, with the names of the tools that were offered, where they are known.
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self;

    /// Reads the JSON of an event, or of a whole answer.
    fn read(&mut self, json: &str) -> Result<Next>;

    /// Reads the JSON of a whole answer.
    fn read_whole(&mut self, json: &str) -> Result<Next> {
        self.read(json)
    }

    /// What is told.
    fn told(&self) -> &Assembler;

    fn told_mut(&mut self) -> &mut Assembler;

    /// Whether the provider said why the reply ended.
    fn is_finished(&self) -> bool {
        self.told().is_finished()
    }

    /// Ends the reply.
    fn end(&mut self);

    fn into_reply(self) -> Reply;
}
