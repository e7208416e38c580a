//! What whole messages in a stream say beside texts: calls and media.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{CallFields, CallPiece};

/// What of messages is told at the end of the answer, as each message says it again: calls and media.
#[derive(Debug, Clone, Default)]
pub(super) struct Delayed {
    pub(super) calls: Vec<DelayedCall>,
    by_id: BTreeMap<String, usize>,
    /// The calls that the message that is read has said: each of its calls is another one.
    said: BTreeSet<usize>,
    pub(super) audio: Option<Box<RawValue>>,
    pub(super) images: Option<Box<RawValue>>,
}

/// A call of a message.
#[derive(Debug, Clone)]
pub(super) struct DelayedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) free_text: bool,
    pub(super) fields: [Option<Box<RawValue>>; 2],
}

impl DelayedCall {
    pub(super) fn new(piece: &CallPiece<'_>, fields: [Option<Box<RawValue>>; 2]) -> Self {
        Self {
            id: piece.id.unwrap_or_default().to_owned(),
            name: piece.name.unwrap_or_default().to_owned(),
            arguments: piece.arguments.to_owned(),
            free_text: piece.free_text,
            fields,
        }
    }

    pub(super) fn piece(&self) -> CallPiece<'_> {
        let [first, second] = &self.fields;
        CallPiece {
            id: Some(&*self.id).filter(|id| !id.is_empty()),
            name: Some(&*self.name).filter(|name| !name.is_empty()),
            arguments: &self.arguments,
            free_text: self.free_text,
            fields: CallFields::new(PROTOCOL, CALL_FIELDS, [first.as_deref(), second.as_deref()]),
        }
    }
}

impl Delayed {
    /// Notes that another message begins.
    pub(super) fn begin_message(&mut self) {
        self.said.clear();
    }

    /// Takes the call at a place in a message. One of the same id, or at the same place, says the earlier one again and
    /// more, or is a piece of it.
    pub(super) fn take_call(&mut self, place: usize, call: DelayedCall) {
        let is_same = |known: &DelayedCall| {
            let may_be =
                |one: &str, other: &str| one.is_empty() || other.is_empty() || one == other;
            may_be(&known.id, &call.id) && may_be(&known.name, &call.name)
        };
        let by_id = self.by_id.get(&call.id).copied();
        let is_known =
            |at: &usize| !self.said.contains(at) && self.calls.get(*at).is_some_and(is_same);
        let at = by_id.filter(is_known).or_else(|| Some(place).filter(is_known));
        self.said.insert(at.unwrap_or(self.calls.len()));
        let Some(known) = at.and_then(|at| self.calls.get_mut(at)) else {
            if !call.id.is_empty() {
                self.by_id.insert(call.id.clone(), self.calls.len());
            }
            return self.calls.push(call);
        };
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
