//! Puts a reply together from what a protocol's events say of it, and tells the events of this library.
//!
//! Texts are told as they come. Calls are told one after the other: where a provider mixes the pieces of
//! several, those of a later call wait until the earlier one has ended.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::reply::{
    Event, EventBuffer, Events, FinishReason, Malformation, Received, Reply, Usage,
};

/// Puts one reply together.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembler {
    /// What is told; nothing where the reply alone counts.
    events: Option<EventBuffer>,
    reply: Reply,
    /// The calls in the order in which they began. All before `head` have ended, and of those behind it
    /// nothing was told.
    calls: Vec<Call>,
    head: usize,
    /// Where the newest call of an index of the protocol is.
    by_index: BTreeMap<u64, usize>,
    /// The names of the tools that were offered, where they are known.
    offered: Option<Arc<BTreeSet<String>>>,
}

/// A call whose pieces come.
#[derive(Debug, Clone, Default)]
struct Call {
    id: String,
    name: String,
    free_text: bool,
    /// The arguments that were not told yet.
    waiting: String,
    has_arguments: bool,
    is_started: bool,
    /// Whether nothing more of it can come.
    is_over: bool,
    /// Whether its arguments are known to be a JSON object.
    is_object: bool,
    is_ended: bool,
}

/// A piece of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallPiece<'p> {
    pub(super) id: Option<&'p str>,
    pub(super) name: Option<&'p str>,
    pub(super) arguments: &'p str,
    pub(super) free_text: bool,
}

static NO_EVENTS: EventBuffer = EventBuffer::new();

impl Assembler {
    pub(super) fn with_offered(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { events: Some(EventBuffer::new()), offered, ..Self::default() }
    }

    /// The same for a reply whose events nobody reads.
    pub(super) fn silent(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { offered, ..Self::default() }
    }

    /// Tells no events from now on.
    pub(super) fn silence(&mut self) {
        self.events = None;
    }

    pub(super) fn clear_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.clear();
        }
    }

    pub(super) fn events(&self) -> Events<'_> {
        self.events.as_ref().unwrap_or(&NO_EVENTS).events()
    }

    pub(super) fn reply(&self) -> &Reply {
        &self.reply
    }

    pub(super) fn received(&mut self) -> &mut Received {
        self.reply.received_mut()
    }

    pub(super) fn content(&mut self, text: &str) {
        if !text.is_empty() {
            self.tell(Event::Content { text });
        }
    }

    /// The same for a text that may be taken over: the only one of a whole answer, for example.
    pub(super) fn take_content(&mut self, text: Cow<'_, str>) {
        match text {
            Cow::Owned(text) if self.events.is_none() && self.reply.content().is_empty() => {
                self.reply.take_content(text);
            }
            text => self.content(&text),
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.tell(Event::Reasoning { text });
        }
    }

    pub(super) fn refusal(&mut self, text: &str) {
        if !text.is_empty() {
            self.tell(Event::Refusal { text });
        }
    }

    /// What only the provider understands, as JSON text.
    pub(super) fn other(&mut self, protocol: &'static str, json: &str) {
        self.tell(Event::Other { protocol, json });
    }

    /// Notes an id and a model that the provider tells.
    pub(super) fn identity(&mut self, id: Option<&str>, model: Option<&str>) {
        let received = self.received();
        for (own, told) in [(&mut received.id, id), (&mut received.model, model)] {
            if let (None, Some(told)) = (&own, told) {
                *own = Some(told.to_owned());
            }
        }
    }

    /// Why the reply ended, in the provider's word and in ours.
    pub(super) fn finished(&mut self, word: String, reason: FinishReason) {
        let received = self.received();
        received.finish_reason = Some(reason);
        received.finish_word = Some(word);
    }

    /// Takes what the provider told of tokens; what it told before and does not tell now stays.
    pub(super) fn usage(&mut self, told: Usage) {
        if told == Usage::default() {
            return;
        }
        let usage = self.received().usage.get_or_insert_default();
        for (own, told) in [
            (&mut usage.input, told.input),
            (&mut usage.output, told.output),
            (&mut usage.total, told.total),
            (&mut usage.cached_input, told.cached_input),
            (&mut usage.cache_writes, told.cache_writes),
            (&mut usage.reasoning, told.reasoning),
        ] {
            *own = told.or(*own);
        }
    }

    /// Takes a piece of the call that a protocol knows by its index.
    pub(super) fn indexed_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let at = match self.by_index.get(&index) {
            Some(at) => *at,
            None => self.begin_call(Some(index)),
        };
        self.add_to_call(at, piece);
    }

    /// Takes a piece of a call, where index and id may both be missing. A new id with a name begins a call,
    /// also where all calls have one index.
    pub(super) fn loose_call(&mut self, index: Option<u64>, piece: CallPiece<'_>) {
        let found = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        };
        let known = found.and_then(|at| self.calls.get(at));
        let is_another = |call: &Call| {
            let is_new = piece.id.is_some_and(|id| !call.id.is_empty() && id != call.id);
            is_new && piece.name.is_some()
        };
        let at = match (found, known) {
            (Some(at), Some(call)) if !is_another(call) => at,
            _ => self.begin_call(index),
        };
        self.add_to_call(at, piece);
    }

    /// The provider says that a call has ended, and what its arguments are. They count where none came
    /// before.
    pub(super) fn end_indexed_call(&mut self, index: u64, whole: CallPiece<'_>) {
        let known = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        let arguments = match known {
            Some(call) if call.has_arguments || call.is_over => "",
            _ => whole.arguments,
        };
        self.indexed_call(index, CallPiece { arguments, ..whole });
        if let Some(call) = self.by_index.get(&index).and_then(|at| self.calls.get_mut(*at)) {
            call.is_over = true;
        }
        self.tell_calls();
    }

    /// Whether any arguments came of the call of an index.
    pub(super) fn has_arguments(&self, index: u64) -> bool {
        let call = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        call.is_some_and(|call| call.has_arguments)
    }

    /// Whether any call began.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The reply has ended, and with it all calls. Where it was cut, a call without arguments is not whole.
    pub(super) fn end(&mut self) {
        let ends = [FinishReason::ToolCalls, FinishReason::End, FinishReason::Stop];
        let is_cut = self.reply.finish_reason().is_none_or(|reason| !ends.contains(&reason));
        for at in self.head..self.calls.len() {
            self.tell_call(at);
            self.end_call(at, !is_cut);
        }
        self.head = self.calls.len();
    }

    fn begin_call(&mut self, index: Option<u64>) -> usize {
        let at = self.calls.len();
        // The call before it is over if it can be; it is asked once.
        if self.head + 1 == at && self.is_object_told() {
            if let Some(call) = self.calls.get_mut(self.head) {
                call.is_over = true;
                call.is_object = true;
            }
            self.tell_calls();
        }
        self.calls.push(Call::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    fn add_to_call(&mut self, at: usize, piece: CallPiece<'_>) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.is_ended {
            // What comes behind its end can be no part of it.
            if !piece.arguments.trim().is_empty() {
                let reason = Malformation::WrongArguments;
                self.tell(Event::Malformed { text: piece.arguments, reason });
            }
            return;
        }
        for (own, told) in [(&mut call.id, piece.id), (&mut call.name, piece.name)] {
            if let (true, Some(told)) = (own.is_empty(), told) {
                told.clone_into(own);
            }
        }
        call.free_text |= piece.free_text;
        call.has_arguments |= !piece.arguments.is_empty();
        let is_told = !call.name.is_empty() && call.waiting.is_empty() && !call.is_over;
        if is_told && at == self.head {
            self.tell_call(at);
            if !piece.arguments.is_empty() {
                let index = self.reply.calls().len().saturating_sub(1);
                self.tell(Event::Arguments { index, text: piece.arguments });
            }
            return;
        }
        call.waiting.push_str(piece.arguments);
        self.tell_calls();
    }

    /// Tells what can be told of calls: what came of the first that has not ended, and where it is over, of
    /// those behind it.
    fn tell_calls(&mut self) {
        while self.head < self.calls.len() {
            self.tell_call(self.head);
            if !self.calls.get(self.head).is_some_and(|call| call.is_over) {
                return;
            }
            self.end_call(self.head, true);
            self.head += 1;
        }
    }

    /// Tells what is new of a call.
    fn tell_call(&mut self, at: usize) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.name.is_empty() {
            return;
        }
        let (reply, events) = (&mut self.reply, &mut self.events);
        if !call.is_started {
            call.is_started = true;
            let index = reply.calls().len();
            let known = self.offered.as_ref().is_none_or(|names| names.contains(&call.name));
            let Call { id, name, free_text, .. } = &*call;
            tell(
                reply,
                events,
                Event::CallStarted { index, id, name, known, free_text: *free_text },
            );
        }
        if !call.waiting.is_empty() {
            let index = reply.calls().len().saturating_sub(1);
            tell(reply, events, Event::Arguments { index, text: &call.waiting });
            call.waiting.clear();
        }
    }

    /// Ends a call of which all was told.
    fn end_call(&mut self, at: usize, is_whole: bool) {
        let is_known = self.calls.get(at).is_some_and(|call| call.is_object);
        let is_object = is_known || self.is_object_told();
        let Some(call) = self.calls.get_mut(at) else { return };
        call.is_ended = true;
        let (reply, events) = (&mut self.reply, &mut self.events);
        if !call.is_started {
            let event = Event::Malformed { text: &call.waiting, reason: Malformation::NoName };
            return tell(reply, events, event);
        }
        let index = reply.calls().len().saturating_sub(1);
        let has_none = is_whole && !call.free_text && !call.has_arguments;
        if has_none {
            tell(reply, events, Event::Arguments { index, text: "{}" });
        }
        let complete = has_none || if call.free_text { is_whole } else { is_object };
        tell(reply, events, Event::CallEnded { index, id: &call.id, complete, mended: false });
    }

    /// Whether the arguments of the call that was told last are a JSON object.
    fn is_object_told(&self) -> bool {
        let told = self.reply.calls().last();
        told.is_some_and(|call| {
            let json = call.arguments.trim_start();
            json.starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok()
        })
    }

    pub(super) fn into_reply(self) -> Reply {
        self.reply
    }

    /// Whether the provider said why the reply ended.
    pub(super) fn is_finished(&self) -> bool {
        self.reply.finish_reason().is_some()
    }

    /// Whether it has told anything of a reply.
    pub(super) fn has_told(&self) -> bool {
        self.reply.parts().next().is_some()
    }

    /// Adds the reply that another assembler made.
    pub(super) fn add_alternative(&mut self, other: Self) {
        self.received().alternatives.push(other.into_reply());
    }

    fn tell(&mut self, event: Event<'_>) {
        tell(&mut self.reply, &mut self.events, event);
    }
}

/// Adds an event to the reply, and to those that are told.
fn tell(reply: &mut Reply, events: &mut Option<EventBuffer>, event: Event<'_>) {
    reply.add(event);
    if let Some(events) = events {
        events.add(event);
    }
}
