//! Builds a reply from the events of a protocol, and reports the events of this library.
//!
//! A reader of a protocol only names what arrived: text, a piece of a call, a finish reason.
//! Complete answers and streams use the same reader: a complete chat message is read like a delta,
//! a block like one that starts and stops, an item like a finished one. So both give the same
//! reply.
//!
//! Text is reported when it arrives. Calls are reported one after the other. If a provider mixes
//! the pieces of several calls, the pieces of a later call wait until the earlier call has ended:
//!
//! | piece | events |
//! |---|---|
//! | call 0, `a`, `{` | `CallStarted` of `a`, `Arguments` `{` |
//! | call 1, `b`, `{}` | none: it waits |
//! | call 0, `}` | `Arguments` `}` |
//! | the end | `CallEnded` of `a`; `CallStarted`, `Arguments` and `CallEnded` of `b` |
//!
//! A call ends when the protocol says so. Chat completions have no such event. There a call ends at
//! the end of the answer, or when another call begins and the arguments are a JSON object. An ended
//! call is complete only if its arguments are a JSON object and the answer was not truncated in it.
//! Providers omit the arguments of functions without parameters. Such a call gets `{}`, but only if
//! the answer was not truncated.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prompty_core::message::ProviderFields;
use prompty_core::value::Map;
use prompty_core::work::add_steps;
use serde_json::value::RawValue;

use super::argument_text::{ObjectScan, is_object, is_same_object};
use super::call_fields::has_meaning;
use super::event_recorder::EventRecorder;
use super::fields::compact;
use super::value_budget::ValueBudget;
use prompty_reply::provider::ProviderMetadata;
use prompty_reply::{Event, FinishReason, Malformation, Reply, ReplyCall, Usage};

/// Builds one reply.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembler {
    pub(super) recorder: EventRecorder,
    /// The calls in the order of their first pieces. The position of a call is its index here. It
    /// may differ from the index of the protocol, and from the index in the reply.
    ///
    /// The calls before the position `first_open` have ended. Nothing has been reported of those
    /// after it. If the call at `first_open` has started, it is the last call of the reply, and all
    /// of its arguments that have arrived are there.
    calls: Vec<PendingCall>,
    first_open: usize,
    /// The position of the newest call of each index of the protocol.
    by_index: BTreeMap<u64, usize>,
    /// The position of the newest call of each id, for the first `indexed_ids` calls. The others
    /// are added when an id is looked up, which complete answers never need.
    by_id: BTreeMap<String, usize>,
    indexed_ids: usize,
    /// The position of a call that ended without arguments. The next event shows that it was not
    /// truncated.
    unconfirmed: Option<usize>,
    /// The names of the offered tools, if they are known.
    offered: Option<Arc<BTreeSet<String>>>,
    /// The name of the protocol in provider parts.
    protocol: &'static str,
    /// The fields of a call that only the provider understands.
    call_fields: &'static [&'static str],
    /// The memory of what only the provider understands.
    pub(super) values: ValueBudget,
}

/// A call whose pieces are arriving. When its start is reported, its id, its name, its provider's
/// fields and its arguments move into the reply.
#[derive(Debug, Clone, Default)]
struct PendingCall {
    /// Its id and its name, until its start is reported. They are empty until they arrive.
    id: String,
    name: String,
    /// Whether the arguments are free text and not JSON, once it is known.
    free_text: Option<bool>,
    /// The arguments that have not been reported yet. Later arguments are added to the reply
    /// directly.
    pending: String,
    /// Whether any arguments have arrived, reported or not.
    has_arguments: bool,
    /// How far the arguments were scanned, and the state of the scan there.
    scan: ObjectScan,
    /// The arguments without white space, and the length that they were made from. They are made
    /// once, when a piece may repeat the call, so that each further piece is only compared.
    compared: Option<(usize, Box<str>)>,
    /// Whether its name may be a piece of a longer one. Such a call is never complete.
    has_unclear_name: bool,
    /// Whether no more of it can arrive. A call that waits for an earlier one can have all its
    /// pieces before anything of it is reported.
    has_all_pieces: bool,
    progress: CallProgress,
    /// Its index in the reply, once its start is reported. A call without a name never gets one.
    reply_index: Option<usize>,
    /// The fields that only the provider understands, until its start is reported.
    provider: Option<Box<ProviderFields>>,
}

/// How much of a call was reported. A call without a name is `Ended` once its arguments are
/// reported as malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum CallProgress {
    #[default]
    Unreported,
    Started,
    Ended,
}

/// A piece of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallPiece<'p> {
    pub(super) id: Option<&'p str>,
    pub(super) name: Option<&'p str>,
    pub(super) arguments: &'p str,
    pub(super) free_text: bool,
    /// The JSON of the call fields of the protocol, in their order.
    pub(super) fields: [Option<&'p RawValue>; 2],
}

impl PendingCall {
    fn is_free_text(&self) -> bool {
        self.free_text == Some(true)
    }
}

impl Assembler {
    pub(super) fn new(
        protocol: &'static str,
        call_fields: &'static [&'static str],
        offered: Option<Arc<BTreeSet<String>>>,
    ) -> Self {
        let recorder = EventRecorder::with_events();
        Self { recorder, protocol, call_fields, offered, ..Self::default() }
    }

    pub(super) fn reply(&self) -> &Reply {
        &self.recorder.reply
    }

    pub(super) fn metadata_mut(&mut self) -> &mut ProviderMetadata {
        self.recorder.reply.provider_metadata_mut()
    }

    pub(super) fn add_content(&mut self, text: &str) {
        self.add_text(text, Event::Content { text });
    }

    fn add_text(&mut self, text: &str, event: Event<'_>) {
        if !text.is_empty() {
            self.confirm_end();
            self.recorder.record(event);
        }
    }

    /// Like [`add_content`](Self::add_content), for text that can be moved into the reply.
    pub(super) fn move_content(&mut self, text: Cow<'_, str>) {
        if !text.is_empty() {
            self.confirm_end();
            self.recorder.move_content(text);
        }
    }

    pub(super) fn add_reasoning(&mut self, text: &str) {
        self.add_text(text, Event::Reasoning { text });
    }

    pub(super) fn add_refusal(&mut self, text: &str) {
        self.add_text(text, Event::Refusal { text });
    }

    /// Adds a part that only the provider understands, as JSON text.
    pub(super) fn add_other(&mut self, json: &str) {
        self.confirm_end();
        if self.values.pay_part(json) {
            self.recorder.record(Event::Other { protocol: self.protocol, json });
        }
    }

    /// Stores the id and the model of the answer, unless they are already known.
    pub(super) fn set_identity(&mut self, id: Option<&str>, model: Option<&str>) {
        let received = self.metadata_mut();
        for (own, new) in [(&mut received.id, id), (&mut received.model, model)] {
            if let (None, Some(new)) = (&own, new) {
                *own = Some(new.to_owned());
            }
        }
    }

    /// Stores why the reply ended: the provider's word, and the reason that it means.
    pub(super) fn set_finish(&mut self, word: String, reason: FinishReason) {
        let received = self.metadata_mut();
        received.finish_reason = Some(reason);
        received.finish_word = Some(word);
    }

    /// Stores the token counts of the provider. A count that is missing now keeps its earlier
    /// value.
    pub(super) fn add_usage(&mut self, new: Usage) {
        if new == Usage::default() {
            return;
        }
        let usage = self.metadata_mut().usage.get_or_insert_default();
        for (own, count) in [
            (&mut usage.input, new.input),
            (&mut usage.output, new.output),
            (&mut usage.total, new.total),
            (&mut usage.cached_input, new.cached_input),
            (&mut usage.cache_writes, new.cache_writes),
            (&mut usage.reasoning, new.reasoning),
        ] {
            *own = count.or(*own);
        }
    }

    /// Begins a block of text, which is a separate part even after another one.
    pub(super) fn begin_text(&mut self) {
        self.recorder.reply.end_text();
    }

    /// Begins a phase: the following text belongs to it.
    pub(super) fn begin_phase(&mut self, word: &str) {
        self.recorder.reply.begin_phase(word);
    }

    /// Starts a call with an index, even if an earlier call has the same index.
    pub(super) fn start_indexed_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let at = self.begin_call(Some(index));
        self.add_to_call(at, piece);
    }

    /// Adds a piece to the call with an index. Starts the call if there is none.
    pub(super) fn add_to_indexed_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let at = match self.by_index.get(&index) {
            Some(at) => *at,
            None => self.begin_call(Some(index)),
        };
        self.add_to_call(at, piece);
    }

    /// Adds a complete call, which has no other pieces.
    pub(super) fn add_complete_call(&mut self, piece: CallPiece<'_>) {
        let at = self.begin_call(None);
        self.add_to_call(at, piece);
        // Only the end of the reply shows whether empty arguments, or free text, were truncated.
        if piece.free_text || piece.arguments.is_empty() {
            return;
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.has_all_pieces = true;
            self.report_calls();
        }
    }

    /// Adds a piece of a call. The index and the id may both be missing, or be the same for all
    /// calls.
    ///
    /// A known id identifies the call. A new id with a name starts a call. A name also starts a
    /// call if the call found so far has another name, or if its arguments are already a complete
    /// object.
    pub(super) fn add_call_piece(&mut self, index: Option<u64>, piece: CallPiece<'_>) {
        let by_id = piece.id.and_then(|id| self.find_call(id));
        if by_id.is_some_and(|at| self.is_repetition(at, &piece)) {
            return;
        }
        let found = by_id.or_else(|| match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        });
        let at = match found {
            Some(at) if !self.begins_new_call(at, by_id.is_some(), index, &piece) => at,
            _ => {
                let is_unclear = found.is_some_and(|at| self.may_continue_name(at, &piece));
                let new = self.begin_call(index);
                for at in found.into_iter().chain([new]).filter(|_| is_unclear) {
                    self.mark_unclear_name(at);
                }
                new
            }
        };
        self.add_to_call(at, piece);
    }

    /// Whether a piece with another name may have the rest of the name of a call: `get_`, then
    /// `weather`. It has no other id, and the call has no arguments.
    fn may_continue_name(&self, at: usize, piece: &CallPiece<'_>) -> bool {
        let has_arguments = self.calls.get(at).is_none_or(|call| call.has_arguments);
        let Some((id, name)) = self.identity_of(at).filter(|_| !has_arguments) else {
            return false;
        };
        let has_other_id = piece.id.is_some_and(|new| !id.is_empty() && new != id);
        !has_other_id && !name.is_empty() && piece.name.is_some_and(|new| new != name)
    }

    /// Makes a call incomplete, even if it has ended.
    fn mark_unclear_name(&mut self, at: usize) {
        let Some(call) = self.calls.get_mut(at) else { return };
        call.has_unclear_name = true;
        let reported = call.reply_index.and_then(|index| self.recorder.reply.call_mut(index));
        if let Some(reported) = reported {
            reported.complete = false;
        }
    }

    /// Whether a piece repeats a complete call. Some servers end a stream with the complete
    /// message.
    fn is_repetition(&mut self, at: usize, piece: &CallPiece<'_>) -> bool {
        let (Some(call), Some((_, name))) = (self.calls.get(at), self.identity_of(at)) else {
            return false;
        };
        // The arguments are either all in the reply or all pending.
        let reported = call.reply_index.and_then(|index| self.reply().calls().get(index));
        let own = reported.map_or(&*call.pending, |it| &*it.arguments);
        if piece.name != Some(name) || piece.arguments.is_empty() || own.is_empty() {
            return false;
        }
        // The comparison of equal texts reads no more than the piece.
        add_steps(piece.arguments.len());
        if own == piece.arguments {
            return call.is_free_text() || is_object(own);
        }
        if call.is_free_text() || !is_object(piece.arguments) {
            return false;
        }
        // Only a complete object can be repeated.
        let length = own.len();
        let is_closed = self.has_closed_object(at);
        let Some(call) = self.calls.get_mut(at).filter(|_| is_closed) else { return false };
        let reported = call.reply_index.and_then(|index| self.recorder.reply.calls().get(index));
        let own = reported.map_or(&*call.pending, |it| &*it.arguments);
        let (compared, compact) =
            call.compared.get_or_insert_with(|| (length, compact(own).into()));
        *compared == length && is_same_object(compact, piece.arguments)
    }

    /// Whether a piece with a name belongs to a new call, and not to the call that was found for
    /// it.
    fn begins_new_call(
        &mut self,
        at: usize,
        is_found_by_id: bool,
        index: Option<u64>,
        piece: &CallPiece<'_>,
    ) -> bool {
        let (Some(name), Some((own_id, own_name))) = (piece.name, self.identity_of(at)) else {
            return false;
        };
        let has_new_id = piece.id.is_some() && !is_found_by_id && !own_id.is_empty();
        let has_new_name = !own_name.is_empty() && own_name != name;
        let is_blank = piece.arguments.trim().is_empty();
        // A new id means a new call, except that some servers give each piece of a call another id.
        // So if the piece has an index, and its arguments are only a part of an object, the index
        // decides: it is a piece of the call. White space is such a part.
        let is_empty_or_object = piece.arguments.is_empty() || is_object(piece.arguments);
        let is_new_by_id = has_new_id && (index.is_none() || is_empty_or_object);
        // A closed object cannot grow. But blanks may follow it, and its name may be repeated.
        let follows_closed_object = (has_new_id || !is_blank) && self.has_closed_object(at);
        has_new_name || is_new_by_id || follows_closed_object
    }

    /// The id and the name of a call, as far as they have arrived. `None` for a call that ended
    /// without a name.
    fn identity_of(&self, at: usize) -> Option<(&str, &str)> {
        let call = self.calls.get(at)?;
        match call.progress {
            CallProgress::Unreported => Some((&call.id, &call.name)),
            CallProgress::Started | CallProgress::Ended => {
                let call = self.reply().calls().get(call.reply_index?)?;
                Some((&call.id, &call.name))
            }
        }
    }

    /// Whether the call has ended, or its arguments so far are a closed JSON object.
    fn has_closed_object(&mut self, at: usize) -> bool {
        let Some(call) = self.calls.get_mut(at) else { return false };
        let reported = call.reply_index.and_then(|index| self.recorder.reply.calls().get(index));
        call.progress == CallProgress::Ended
            || call.scan.is_closed(reported.map_or(&*call.pending, |it| &*it.arguments))
    }

    /// Ends the call with an index. The arguments of `complete` count only if none arrived before.
    pub(super) fn end_indexed_call(&mut self, index: u64, complete: CallPiece<'_>) {
        let known = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        let arguments = match known {
            Some(call) if call.has_arguments || call.has_all_pieces => "",
            _ => complete.arguments,
        };
        self.add_to_indexed_call(index, CallPiece { arguments, ..complete });
        let Some(at) = self.by_index.get(&index).copied() else { return };
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.has_arguments || call.is_free_text() || call.has_all_pieces {
            call.has_all_pieces = true;
            self.report_calls();
        } else {
            self.unconfirmed = Some(at);
        }
    }

    /// Confirms that a call without arguments has none and was not truncated, because more arrives.
    fn confirm_end(&mut self) {
        let Some(at) = self.unconfirmed.take() else { return };
        if let Some(call) = self.calls.get_mut(at) {
            call.has_all_pieces = true;
            self.report_calls();
        }
    }

    /// Whether any arguments of the call with an index have arrived.
    pub(super) fn has_arguments(&self, index: u64) -> bool {
        let call = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        call.is_some_and(|call| call.has_arguments)
    }

    /// The position of the newest call with an id.
    pub(super) fn find_call(&mut self, id: &str) -> Option<usize> {
        for at in self.indexed_ids..self.calls.len() {
            let id = self.identity_of(at).map(|(id, _)| id).filter(|id| !id.is_empty());
            if let Some(id) = id.map(str::to_owned) {
                self.by_id.insert(id, at);
            }
        }
        self.indexed_ids = self.calls.len();
        self.by_id.get(id).copied()
    }

    /// The number of calls, and of parts that only the provider understands.
    pub(super) fn item_count(&self) -> usize {
        self.calls.len() + self.reply().others().len()
    }

    /// Whether any call has started.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Ends the reply and all its calls. If it was truncated, open calls with free text or without
    /// arguments are incomplete.
    pub(super) fn end(&mut self) {
        self.unconfirmed = None;
        // Arguments without a name may belong to a call that has none. So if there are any, a call
        // without arguments is incomplete, and does not get `{}`.
        let is_stray = |call: &PendingCall| {
            call.progress == CallProgress::Unreported && call.name.is_empty() && call.has_arguments
        };
        let has_stray = self.calls.iter().any(is_stray);
        let complete_reasons = [FinishReason::ToolCalls, FinishReason::End, FinishReason::Stop];
        let is_truncated =
            self.reply().finish_reason().is_none_or(|reason| !complete_reasons.contains(&reason));
        for at in self.first_open..self.calls.len() {
            self.report_call(at);
            self.end_call(at, !is_truncated && !has_stray);
        }
        self.first_open = self.calls.len();
    }

    /// Begins a call, and returns its position.
    fn begin_call(&mut self, index: Option<u64>) -> usize {
        self.confirm_end();
        let at = self.calls.len();
        // The protocol may not say when the previous call ends. If it is the first open call and
        // has started, it ends now if its arguments are an object. Otherwise it stays open, and is
        // not checked again at the next call: so its arguments are parsed only once here.
        let previous = self.calls.last().filter(|_| self.first_open + 1 == at);
        let is_open = previous.is_some_and(|call| call.progress == CallProgress::Started);
        if is_open && self.last_call_is_object() {
            self.end_call(self.first_open, true);
            self.first_open = at;
        }
        self.calls.push(PendingCall::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// Adds a piece to the call at a position, and reports what can be reported.
    fn add_to_call(&mut self, at: usize, piece: CallPiece<'_>) {
        self.complete_identity(at, &piece);
        self.add_provider_fields(at, piece.fields);
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.progress == CallProgress::Ended {
            // Arguments after the end of the call cannot belong to it.
            if !piece.arguments.trim().is_empty() {
                let reason = Malformation::WrongArguments;
                self.recorder.record(Event::Malformed { text: piece.arguments, reason });
            }
            return;
        }
        // The first piece that has more than an id decides whether the call is free text.
        if piece.name.is_some() || !piece.arguments.is_empty() {
            call.free_text.get_or_insert(piece.free_text);
        }
        call.has_arguments |= !piece.arguments.is_empty();
        let has_name = call.progress == CallProgress::Started || !call.name.is_empty();
        let is_reportable = has_name && call.pending.is_empty() && !call.has_all_pieces;
        if is_reportable && at == self.first_open {
            // Arguments that are reported immediately need no copy.
            self.report_call(at);
            if !piece.arguments.is_empty() {
                // The first open call is now the last one of the reply.
                let index = self.reply().calls().len().saturating_sub(1);
                self.recorder.record(Event::Arguments { index, text: piece.arguments });
            }
            return;
        }
        call.pending.push_str(piece.arguments);
        self.report_calls();
    }

    /// Stores the id and the name of a call, unless they are already known. The id may arrive late,
    /// after the end of the call.
    fn complete_identity(&mut self, at: usize, piece: &CallPiece<'_>) {
        let Some(call) = self.calls.get_mut(at) else { return };
        let reply = &mut self.recorder.reply;
        let reported = call.reply_index.and_then(|index| reply.call_mut(index));
        let (id, name) = match (call.progress, reported) {
            (CallProgress::Unreported, _) => (&mut call.id, &mut call.name),
            (_, Some(reported)) => (&mut reported.id, &mut reported.name),
            (_, None) => return,
        };
        if let (true, Some(new)) = (id.is_empty(), piece.id) {
            new.clone_into(id);
            if at < self.indexed_ids {
                self.by_id.insert(new.to_owned(), at);
            }
        }
        match piece.name {
            Some(new) if name.is_empty() => new.clone_into(name),
            Some(new) if name != new => self.mark_unclear_name(at),
            _ => {}
        }
    }

    /// Stores the provider's fields of a call: in the reply, once the call is there.
    fn add_provider_fields(&mut self, at: usize, fields: [Option<&RawValue>; 2]) {
        if fields.iter().all(Option::is_none) {
            return;
        }
        let Some(call) = self.calls.get_mut(at) else { return };
        let reply = &mut self.recorder.reply;
        let own = match call.reply_index.and_then(|index| reply.call_mut(index)) {
            Some(reported) => &mut reported.provider,
            None => &mut call.provider,
        };
        for (name, json) in self.call_fields.iter().zip(fields) {
            let value = json.and_then(|json| self.values.read(json.get()));
            if let Some(value) = value.filter(|value| has_meaning(name, value)) {
                let empty = || Box::new(ProviderFields::new(self.protocol, Map::new()));
                own.get_or_insert_with(empty).fields.insert(*name, value);
            }
        }
    }

    /// Reports what can be reported of calls: the pieces of the first open call. If it has all its
    /// pieces, this ends it, and continues with the next call.
    fn report_calls(&mut self) {
        while self.first_open < self.calls.len() {
            self.report_call(self.first_open);
            if !self.calls.get(self.first_open).is_some_and(|call| call.has_all_pieces) {
                return;
            }
            self.end_call(self.first_open, true);
            self.first_open += 1;
        }
    }

    /// Reports the start of a call, if it has a name, and its pending arguments.
    fn report_call(&mut self, at: usize) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.progress == CallProgress::Unreported {
            if call.name.is_empty() {
                return;
            }
            call.progress = CallProgress::Started;
            let mut started = ReplyCall::default();
            started.known = self.offered.as_ref().is_none_or(|names| names.contains(&call.name));
            started.free_text = call.is_free_text();
            started.id = std::mem::take(&mut call.id);
            started.name = std::mem::take(&mut call.name);
            started.provider = call.provider.take();
            call.reply_index = Some(self.recorder.begin_call(started));
        }
        if let (Some(index), false) = (call.reply_index, call.pending.is_empty()) {
            self.recorder.record(Event::Arguments { index, text: &call.pending });
            call.pending.clear();
        }
    }

    /// Ends a call: one in the reply, whose pieces were all reported, or one without a name, which
    /// is malformed. `is_complete` says that it was not truncated. A call in the reply is the last one
    /// there.
    fn end_call(&mut self, at: usize, is_complete: bool) {
        let Some(call) = self.calls.get_mut(at) else { return };
        call.progress = CallProgress::Ended;
        let Some(index) = call.reply_index else {
            let reason = Malformation::NoName;
            return self.recorder.record(Event::Malformed { text: &call.pending, reason });
        };
        let is_complete = is_complete && !call.has_unclear_name;
        let has_unclear_name = call.has_unclear_name;
        let has_no_arguments = is_complete && !call.is_free_text() && !call.has_arguments;
        if has_no_arguments {
            self.recorder.record(Event::Arguments { index, text: "{}" });
        }
        let is_free_text = call.is_free_text();
        // Arguments that are an object were not truncated, whatever the reason of the end.
        let complete = match is_free_text {
            true => is_complete,
            false => has_no_arguments || (!has_unclear_name && self.last_call_is_object()),
        };
        self.recorder.end_call(index, complete);
    }

    /// Whether the arguments of the last call of the reply are a JSON object.
    fn last_call_is_object(&self) -> bool {
        self.reply().calls().last().is_some_and(|call| is_object(&call.arguments))
    }

    pub(super) fn into_reply(self) -> Reply {
        self.recorder.reply
    }

    /// Whether the provider said why the reply ended.
    pub(super) fn is_finished(&self) -> bool {
        self.reply().finish_reason().is_some()
    }

    /// Whether any part of a reply was reported.
    pub(super) fn has_reported(&self) -> bool {
        self.reply().parts().next().is_some()
    }

    /// Adds the reply that another assembler made.
    pub(super) fn add_alternative(&mut self, other: Self) {
        self.recorder.reply.add_alternative(other.into_reply());
    }
}
