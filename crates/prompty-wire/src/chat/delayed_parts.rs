//! Calls and media of complete messages in a stream, which are reported at the end.

use std::collections::{BTreeMap, BTreeSet};

use prompty_core::work::add_steps;
use serde_json::value::RawValue;

use crate::assembler::CallPiece;

/// The calls and media of complete messages. Each message repeats them, so they are reported at the
/// end of the answer.
#[derive(Debug, Clone, Default)]
pub(super) struct DelayedParts {
    pub(super) calls: Vec<DelayedCall>,
    by_id: BTreeMap<String, usize>,
    /// The calls of the current message. Two calls of one message are always different.
    in_message: BTreeSet<usize>,
    pub(super) audio: Option<Box<RawValue>>,
    pub(super) images: Option<Box<RawValue>>,
}

/// A call of a complete message.
#[derive(Debug, Clone)]
pub(super) struct DelayedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) free_text: bool,
    pub(super) fields: [Option<Box<RawValue>>; 2],
}

impl DelayedCall {
    pub(super) fn new(piece: &CallPiece<'_>) -> Self {
        Self {
            id: piece.id.unwrap_or_default().to_owned(),
            name: piece.name.unwrap_or_default().to_owned(),
            arguments: piece.arguments.to_owned(),
            free_text: piece.free_text,
            fields: piece.fields.map(|field| field.map(ToOwned::to_owned)),
        }
    }

    pub(super) fn piece(&self) -> CallPiece<'_> {
        CallPiece {
            id: Some(&*self.id).filter(|id| !id.is_empty()),
            name: Some(&*self.name).filter(|name| !name.is_empty()),
            arguments: &self.arguments,
            free_text: self.free_text,
            fields: self.fields.each_ref().map(Option::as_deref),
        }
    }
}

impl DelayedParts {
    /// Begins the next message.
    pub(super) fn begin_message(&mut self) {
        self.in_message.clear();
    }

    /// Adds the call at an index of the message. A call with the same id or index repeats an
    /// earlier one and adds to it, or is a piece of it.
    pub(super) fn add_call(&mut self, index: usize, call: DelayedCall) {
        let is_same = |known: &DelayedCall| {
            let may_match =
                |one: &str, other: &str| one.is_empty() || other.is_empty() || one == other;
            may_match(&known.id, &call.id) && may_match(&known.name, &call.name)
        };
        let by_id = self.by_id.get(&call.id).copied();
        let is_known =
            |at: &usize| !self.in_message.contains(at) && self.calls.get(*at).is_some_and(is_same);
        let at = by_id.filter(is_known).or_else(|| Some(index).filter(is_known));
        self.in_message.insert(at.unwrap_or(self.calls.len()));
        let Some(known) = at.and_then(|at| self.calls.get_mut(at)) else {
            if !call.id.is_empty() {
                self.by_id.insert(call.id.clone(), self.calls.len());
            }
            return self.calls.push(call);
        };
        // The new arguments are all of them so far, or a repeated start, or the next piece. Both
        // comparisons read no more than the new arguments.
        add_steps(call.arguments.len());
        if call.arguments.starts_with(&known.arguments) {
            known.arguments = call.arguments;
        } else if !known.arguments.starts_with(&call.arguments) {
            known.arguments.push_str(&call.arguments);
        }
        for (own, new) in [(&mut known.id, call.id), (&mut known.name, call.name)] {
            if own.is_empty() {
                *own = new;
            }
        }
        for (own, new) in known.fields.iter_mut().zip(call.fields) {
            *own = new.or(own.take());
        }
    }
}
