//! The states of the machine, and the results of a step.

use crate::event::Malformation;
use crate::layout::LeafId;

/// The state of the machine: a position in the layout. The numbers are those of the leaves in
/// [`Order`](crate::layout::Order); one more is for the start of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Inside reasoning or content; the segment says which.
    Text,
    /// After a part of a call, or after a part that is around calls.
    After(LeafId),
    /// Inside the data of a slot: a header, a name, a key, a value, an object.
    In(LeafId),
    /// Inside the rest of a malformed call.
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
