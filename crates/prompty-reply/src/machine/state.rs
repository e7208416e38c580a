//! The states of the machine, and the results of a step.

use crate::event::Malformation;
use crate::layout::LeafId;

/// The state of the machine: a position in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Inside reasoning or content; the segment says which.
    Text,
    /// After a part of a call, or after a part that is around calls.
    After(LeafId),
    /// Inside the data of a slot.
    In(LeafId),
    /// Inside a malformed call, up to its end.
    Recover(Malformation),
    /// Nothing more is read.
    Stopped,
}

/// The result of a step: what a state did with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It took this number of bytes, or changed the state.
    Take(usize),
    /// It took this number of bytes, and needs more text to continue.
    Wait(usize),
}
