//! Where the machine reads, and how far a step went.

use crate::event::Malformation;
use crate::layout::LeafId;

/// Where in the layout the machine reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Reasoning or content: the segment says which.
    Text,
    /// Behind a part of a call, or of what stands around calls.
    Behind(LeafId),
    /// The data of a slot.
    In(LeafId),
    /// A call that went wrong, up to where it ends.
    Recover(Malformation),
    /// Nothing more is read.
    Stopped,
}

/// What a state did with the text that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It took so many bytes, or changed the state.
    Take(usize),
    /// It took so many bytes, and needs more text for the next.
    Wait(usize),
}
