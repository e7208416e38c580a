//! Whole messages in a stream. Some servers send one in each chunk, or in the last one: it says again what came, and more.

use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::reply::Reply;
use crate::wire::assembler::{CallFields, CallPiece};

/// What was told of texts, as far as the message that is read did not say it again yet.
#[derive(Debug, Clone)]
pub(super) struct Repeated {
    pub(super) content: String,
    pub(super) reasoning: String,
    pub(super) refusal: String,
    /// Whether deltas said any of it: then a text that says something else is the same in other words.
    has_deltas: bool,
}

impl Repeated {
    pub(super) fn new(told: &Reply, has_deltas: bool) -> Self {
        Self {
            content: told.content().to_owned(),
            reasoning: told.reasoning().to_owned(),
            refusal: told.refusal().unwrap_or_default().to_owned(),
            has_deltas,
        }
    }

    /// What of a text is new: one of the fields says what was told and not said again.
    pub(super) fn rest<'t>(
        &mut self,
        field: fn(&mut Self) -> &mut String,
        text: &'t str,
    ) -> &'t str {
        let has_deltas = self.has_deltas;
        let told = field(self);
        if let Some(rest) = text.strip_prefix(told.as_str()) {
            told.clear();
            return rest;
        }
        if told.starts_with(text) {
            drop(told.drain(..text.len()));
            return "";
        }
        if has_deltas { "" } else { text }
    }
}

/// What of messages is told at the end of the answer, as each message says it again: calls and media.
#[derive(Debug, Clone, Default)]
pub(super) struct Delayed {
    pub(super) calls: Vec<DelayedCall>,
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
    /// Takes the call at a place in a message. One of the same id, or at the same place, says the earlier one again and
    /// more, or is a piece of it.
    pub(super) fn take_call(&mut self, place: usize, call: DelayedCall) {
        let is_same = |known: &DelayedCall| {
            let may_be =
                |one: &str, other: &str| one.is_empty() || other.is_empty() || one == other;
            may_be(&known.id, &call.id) && may_be(&known.name, &call.name)
        };
        let by_id = |known: &DelayedCall| !call.id.is_empty() && known.id == call.id;
        let at = self.calls.iter().position(by_id);
        let at = at.or_else(|| Some(place).filter(|at| self.calls.get(*at).is_some_and(is_same)));
        let Some(known) = at.and_then(|at| self.calls.get_mut(at)) else {
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
