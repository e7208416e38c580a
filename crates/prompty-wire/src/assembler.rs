//! Puts a reply together from what a protocol's events say of it, and tells the events of this library.
//!
//! Texts are told as they come. Calls are told one after the other: where a provider mixes the pieces of
//! several, those of a later call wait until the earlier one has ended.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prompty_core::message::ProviderFields;
use prompty_core::value::{MAX_DEPTH, Map, Value};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::call_fields::says_more;
use super::telling::Telling;
use prompty_reply::provider::Received;
use prompty_reply::{Event, Events, FinishReason, Malformation, Reply, ReplyCall, Usage};

/// Puts one reply together.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembler {
    telling: Telling,
    /// The calls in the order in which they began. All before `head` have ended, and of those behind it
    /// nothing was told.
    calls: Vec<Call>,
    head: usize,
    /// Where the newest call of an index of the protocol is.
    by_index: BTreeMap<u64, usize>,
    /// Where the newest call of an id is. The ids of the calls behind the first `with_ids` are put into it when one is
    /// looked for, which whole answers never do.
    by_id: BTreeMap<String, usize>,
    with_ids: usize,
    /// A call that ended without arguments: that nothing cut it is known when more comes.
    unsettled: Option<usize>,
    /// The names of the tools that were offered, where they are known.
    offered: Option<Arc<BTreeSet<String>>>,
}

/// A call whose pieces come.
#[derive(Debug, Clone, Default)]
struct Call {
    /// Its id and its name, until its beginning is told: then the reply has them.
    id: String,
    name: String,
    free_text: Option<bool>,
    /// The arguments that were not told yet.
    waiting: String,
    has_arguments: bool,
    /// How far the arguments were looked at, and what stood there.
    scan: ObjectScan,
    /// Whether nothing more of it can come.
    is_over: bool,
    told: Told,
    /// Its place in the reply, as soon as its beginning was told.
    index: usize,
    /// What only the provider says of it, until its beginning is told.
    provider: Option<Box<ProviderFields>>,
}

/// How much of a call was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Told {
    #[default]
    Nothing,
    Beginning,
    All,
}

/// A piece of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallPiece<'p> {
    pub(super) id: Option<&'p str>,
    pub(super) name: Option<&'p str>,
    pub(super) arguments: &'p str,
    pub(super) free_text: bool,
    pub(super) fields: CallFields<'p>,
}

/// What only the provider says of a call: the names that its protocol keeps, and what stands under them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallFields<'p> {
    protocol: &'static str,
    names: &'static [&'static str],
    fields: [Option<&'p RawValue>; 2],
}

impl<'p> CallFields<'p> {
    /// The fields that a protocol keeps, in the order of their names.
    pub(super) fn new(
        protocol: &'static str,
        names: &'static [&'static str],
        fields: [Option<&'p RawValue>; 2],
    ) -> Self {
        Self { protocol, names, fields }
    }

    fn is_empty(&self) -> bool {
        self.fields.iter().all(Option::is_none)
    }

    fn entries(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let read = |(name, json): (&&'static str, Option<&RawValue>)| {
            Some((*name, Value::from_json(json?.get()).ok()?))
        };
        let entries = self.names.iter().zip(self.fields).filter_map(read);
        entries.filter(|(name, value)| says_more(name, value))
    }
}

impl Call {
    fn is_free_text(&self) -> bool {
        self.free_text == Some(true)
    }
}

impl Assembler {
    pub(super) fn with_offered(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { telling: Telling::with_events(), offered, ..Self::default() }
    }

    /// The same for a reply whose events nobody reads.
    pub(super) fn silent(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { offered, ..Self::default() }
    }

    /// Tells no events from now on.
    pub(super) fn silence(&mut self) {
        self.telling.silence();
    }

    pub(super) fn clear_events(&mut self) {
        self.telling.clear_events();
    }

    pub(super) fn events(&self) -> Events<'_> {
        self.telling.events()
    }

    pub(super) fn reply(&self) -> &Reply {
        self.telling.reply()
    }

    pub(super) fn received(&mut self) -> &mut Received {
        self.telling.reply_mut().received_mut()
    }

    pub(super) fn content(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle();
            self.telling.tell(Event::Content { text });
        }
    }

    /// The same for a text that may be taken over.
    pub(super) fn take_content(&mut self, text: Cow<'_, str>) {
        if !text.is_empty() {
            self.settle();
            self.telling.take_content(text);
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle();
            self.telling.tell(Event::Reasoning { text });
        }
    }

    pub(super) fn refusal(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle();
            self.telling.tell(Event::Refusal { text });
        }
    }

    /// What only the provider understands, as JSON text.
    pub(super) fn other(&mut self, protocol: &'static str, json: &str) {
        self.settle();
        self.telling.tell(Event::Other { protocol, json });
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

    /// The texts that follow are of a phase.
    pub(super) fn phase(&mut self, word: &str) {
        self.telling.reply_mut().begin_phase(word);
    }

    /// How much was told, to find out whether something was.
    pub(super) fn count(&self) -> usize {
        self.telling.count()
    }

    /// Begins a call that a protocol knows by its index, also where it had another one of that index.
    pub(super) fn begin_indexed_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let at = self.begin_call(Some(index));
        self.add_to_call(at, piece);
    }

    /// Takes a piece of the call that a protocol knows by its index.
    pub(super) fn indexed_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let at = match self.by_index.get(&index) {
            Some(at) => *at,
            None => self.begin_call(Some(index)),
        };
        self.add_to_call(at, piece);
    }

    /// Takes a whole call, which has no other pieces.
    pub(super) fn whole_call(&mut self, piece: CallPiece<'_>) {
        let at = self.begin_call(None);
        self.add_to_call(at, piece);
        // Without arguments, and with those that are free text, only the end of the reply says whether it was cut.
        if piece.free_text || piece.arguments.is_empty() {
            return;
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.is_over = true;
            self.tell_calls();
        }
    }

    /// Takes a piece of a call, where index and id may both be missing, or be those of all calls. An id that is known
    /// says which call it is; a new id with a name begins one. So does a name where the call has another name, or
    /// where its arguments are an object already.
    pub(super) fn loose_call(&mut self, index: Option<u64>, piece: CallPiece<'_>) {
        let by_id = piece.id.and_then(|id| self.call_of_id(id));
        if by_id.is_some_and(|at| self.repeats(at, &piece)) {
            return;
        }
        let found = by_id.or_else(|| match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        });
        let at = match found {
            Some(at) if !self.begins_another(at, by_id.is_some(), index, &piece) => at,
            _ => self.begin_call(index),
        };
        self.add_to_call(at, piece);
    }

    /// Whether a piece says a whole call once more, as servers do that end with the whole message.
    fn repeats(&self, at: usize, piece: &CallPiece<'_>) -> bool {
        let (Some(call), Some((_, name))) = (self.calls.get(at), self.identity_of(at)) else {
            return false;
        };
        let told = match call.told {
            Told::Nothing => "",
            Told::Beginning | Told::All => match self.reply().calls().get(call.index) {
                Some(told) => &*told.arguments,
                None => return false,
            },
        };
        // Where more of them waits, they are no whole.
        let (("", own) | (own, "")) = (told, &*call.waiting) else { return false };
        let is_same = || match call.is_free_text() {
            true => own == piece.arguments,
            false => is_object(piece.arguments) && is_same_json(own, piece.arguments),
        };
        piece.name == Some(name) && !piece.arguments.is_empty() && is_same()
    }

    /// Whether a piece with a name is one of another call than the one that it was found to belong to.
    fn begins_another(
        &mut self,
        at: usize,
        by_id: bool,
        index: Option<u64>,
        piece: &CallPiece<'_>,
    ) -> bool {
        let (Some(name), Some((own_id, own_name))) = (piece.name, self.identity_of(at)) else {
            return false;
        };
        let has_new_id = piece.id.is_some() && !by_id && !own_id.is_empty();
        let has_new_name = !own_name.is_empty() && own_name != name;
        let is_blank = piece.arguments.trim().is_empty();
        // Some servers give each piece of a call another id: the index says that part of an object belongs to it, and
        // white space may be such a part.
        let is_whole = piece.arguments.is_empty() || is_object(piece.arguments);
        let is_told_by_id = has_new_id && (index.is_none() || is_whole);
        let goes_on_behind_end = (has_new_id || !is_blank) && self.holds_object(at);
        has_new_name || is_told_by_id || goes_on_behind_end
    }

    /// The id and the name of a call, as far as they came.
    fn identity_of(&self, at: usize) -> Option<(&str, &str)> {
        let call = self.calls.get(at)?;
        match call.told {
            Told::Nothing => Some((&call.id, &call.name)),
            Told::Beginning | Told::All => {
                let told = self.reply().calls().get(call.index)?;
                Some((&told.id, &told.name))
            }
        }
    }

    /// Whether the arguments of a call are a closed object so far.
    fn holds_object(&mut self, at: usize) -> bool {
        let Some(call) = self.calls.get_mut(at) else { return false };
        // What was told stands in the reply: of the calls that have not ended, only of the first.
        let told = self.telling.reply().calls().last().filter(|_| call.told == Told::Beginning);
        call.told == Told::All
            || call.scan.is_closed(told.map_or(&*call.waiting, |it| &*it.arguments))
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
        let Some(at) = self.by_index.get(&index).copied() else { return };
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.has_arguments || call.is_free_text() || call.is_over {
            call.is_over = true;
            self.tell_calls();
        } else {
            self.unsettled = Some(at);
        }
    }

    /// More comes, so a call that ended without arguments has none, and was not cut.
    fn settle(&mut self) {
        let Some(at) = self.unsettled.take() else { return };
        if let Some(call) = self.calls.get_mut(at) {
            call.is_over = true;
            self.tell_calls();
        }
    }

    /// Whether any arguments came of the call of an index.
    pub(super) fn has_arguments(&self, index: u64) -> bool {
        let call = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        call.is_some_and(|call| call.has_arguments)
    }

    /// Whether a call has an id.
    pub(super) fn knows(&mut self, id: &str) -> bool {
        self.call_of_id(id).is_some()
    }

    /// Where the newest call of an id is.
    fn call_of_id(&mut self, id: &str) -> Option<usize> {
        for at in self.with_ids..self.calls.len() {
            let id = self.identity_of(at).map(|(id, _)| id).filter(|id| !id.is_empty());
            if let Some(id) = id.map(str::to_owned) {
                self.by_id.insert(id, at);
            }
        }
        self.with_ids = self.calls.len();
        self.by_id.get(id).copied()
    }

    /// Whether any call began.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The reply has ended, and with it all calls. Where it was cut, a call without arguments is not whole.
    pub(super) fn end(&mut self) {
        self.unsettled = None;
        // Arguments that belong to no call may be those of one without any.
        let has_stray =
            |call: &Call| call.told == Told::Nothing && call.name.is_empty() && call.has_arguments;
        let has_stray = self.calls.iter().any(has_stray);
        let ends = [FinishReason::ToolCalls, FinishReason::End, FinishReason::Stop];
        let is_cut = self.reply().finish_reason().is_none_or(|reason| !ends.contains(&reason));
        for at in self.head..self.calls.len() {
            self.tell_call(at);
            self.end_call(at, !is_cut && !has_stray, self.is_object_told());
        }
        self.head = self.calls.len();
    }

    fn begin_call(&mut self, index: Option<u64>) -> usize {
        self.settle();
        let at = self.calls.len();
        // The call before it is over if it can be; it is asked once.
        let is_last = self.head + 1 == at && self.told_of(self.head) == Told::Beginning;
        if is_last && self.is_object_told() {
            self.end_call(self.head, true, true);
            self.head = at;
        }
        self.calls.push(Call::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    fn add_to_call(&mut self, at: usize, piece: CallPiece<'_>) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.told == Told::All {
            // An id may come late; the reply has it.
            if let (Some(told), Some(new)) =
                (self.telling.reply_mut().call_mut(call.index), piece.id)
                && told.id.is_empty()
            {
                new.clone_into(&mut told.id);
                if at < self.with_ids {
                    self.by_id.insert(new.to_owned(), at);
                }
            }
            self.note(at, &piece.fields);
            // What comes behind its end can be no part of it.
            if !piece.arguments.trim().is_empty() {
                let reason = Malformation::WrongArguments;
                self.telling.tell(Event::Malformed { text: piece.arguments, reason });
            }
            return;
        }
        // What was told stands in the reply.
        let (id, name) = match self.telling.reply_mut().call_mut(call.index) {
            Some(told) if call.told == Told::Beginning => (&mut told.id, &mut told.name),
            _ => (&mut call.id, &mut call.name),
        };
        if let (true, Some(new)) = (id.is_empty(), piece.id) {
            new.clone_into(id);
            if at < self.with_ids {
                self.by_id.insert(new.to_owned(), at);
            }
        }
        if let (true, Some(new)) = (name.is_empty(), piece.name) {
            new.clone_into(name);
        }
        self.note(at, &piece.fields);
        let Some(call) = self.calls.get_mut(at) else { return };
        // What its first piece says that is more than an id.
        if piece.name.is_some() || !piece.arguments.is_empty() {
            call.free_text.get_or_insert(piece.free_text);
        }
        call.has_arguments |= !piece.arguments.is_empty();
        let has_name = call.told == Told::Beginning || !call.name.is_empty();
        let is_told = has_name && call.waiting.is_empty() && !call.is_over;
        if is_told && at == self.head {
            // What is told at once needs no copy.
            self.tell_call(at);
            if !piece.arguments.is_empty() {
                let index = self.reply().calls().len().saturating_sub(1);
                self.telling.tell(Event::Arguments { index, text: piece.arguments });
            }
            return;
        }
        call.waiting.push_str(piece.arguments);
        self.tell_calls();
    }

    /// Notes what only the provider says of a call: in the reply, as soon as that has the call.
    fn note(&mut self, at: usize, fields: &CallFields<'_>) {
        if fields.is_empty() {
            return;
        }
        let Some(call) = self.calls.get_mut(at) else { return };
        let own = match self.telling.reply_mut().call_mut(call.index) {
            Some(told) if call.told != Told::Nothing => &mut told.provider,
            _ => &mut call.provider,
        };
        for (name, value) in fields.entries() {
            let empty = || Box::new(ProviderFields::new(fields.protocol, Map::new()));
            own.get_or_insert_with(empty).fields.insert(name, value);
        }
    }

    /// Tells what can be told of calls: what came of the first that has not ended, and where it is over, of
    /// those behind it.
    fn tell_calls(&mut self) {
        while self.head < self.calls.len() {
            self.tell_call(self.head);
            if !self.calls.get(self.head).is_some_and(|call| call.is_over) {
                return;
            }
            self.end_call(self.head, true, self.is_object_told());
            self.head += 1;
        }
    }

    fn told_of(&self, at: usize) -> Told {
        self.calls.get(at).map(|call| call.told).unwrap_or_default()
    }

    /// Tells what is new of a call.
    fn tell_call(&mut self, at: usize) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.told == Told::Nothing {
            if call.name.is_empty() {
                return;
            }
            call.told = Told::Beginning;
            let mut begun = ReplyCall::default();
            begun.known = self.offered.as_ref().is_none_or(|names| names.contains(&call.name));
            begun.free_text = call.is_free_text();
            begun.id = std::mem::take(&mut call.id);
            begun.name = std::mem::take(&mut call.name);
            begun.provider = call.provider.take();
            call.index = self.telling.begin_call(begun);
        }
        if !call.waiting.is_empty() {
            self.telling.tell(Event::Arguments { index: call.index, text: &call.waiting });
            call.waiting.clear();
        }
    }

    /// Ends a call of which all was told. Whether its arguments are an object is known.
    fn end_call(&mut self, at: usize, is_whole: bool, is_object: bool) {
        let Some(call) = self.calls.get_mut(at) else { return };
        let told = std::mem::replace(&mut call.told, Told::All);
        if told == Told::Nothing {
            let reason = Malformation::NoName;
            return self.telling.tell(Event::Malformed { text: &call.waiting, reason });
        }
        let has_none = is_whole && !call.is_free_text() && !call.has_arguments;
        if has_none {
            self.telling.tell(Event::Arguments { index: call.index, text: "{}" });
        }
        let complete = has_none || if call.is_free_text() { is_whole } else { is_object };
        self.telling.end_call(call.index, complete);
    }

    /// Whether the arguments of the call that was told last are a JSON object.
    fn is_object_told(&self) -> bool {
        self.reply().calls().last().is_some_and(|call| is_object(&call.arguments))
    }

    pub(super) fn into_reply(self) -> Reply {
        self.telling.into_reply()
    }

    /// Whether the provider said why the reply ended.
    pub(super) fn is_finished(&self) -> bool {
        self.reply().finish_reason().is_some()
    }

    /// Whether it has told anything of a reply.
    pub(super) fn has_told(&self) -> bool {
        self.reply().parts().next().is_some()
    }

    /// Adds the reply that another assembler made.
    pub(super) fn add_alternative(&mut self, other: Self) {
        self.telling.reply_mut().add_alternative(other.into_reply());
    }
}

/// Whether a text is a JSON object that can be read: what is nested too deep cannot.
fn is_object(text: &str) -> bool {
    let json = text.trim_start();
    let is_object = json.starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok();
    let opening = |byte: &u8| matches!(byte, b'{' | b'[');
    // Few objects are so long, and have so many brackets, that they may be too deep.
    is_object
        && (json.len() <= MAX_DEPTH
            || json.bytes().filter(|byte| opening(byte)).count() <= MAX_DEPTH
            || Value::from_json(json).is_ok())
}

/// Whether two texts are the same JSON, whatever white space stands in them.
fn is_same_json(one: &str, other: &str) -> bool {
    one == other
        || match (Value::from_json(one), Value::from_json(other)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
}

/// Looks for the end of a JSON object, in text that grows. Each byte is looked at once, however often it is asked.
#[derive(Debug, Clone, Copy, Default)]
struct ObjectScan {
    at: usize,
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl ObjectScan {
    /// Whether all brackets that the text opens are closed again. Whether it is JSON is another question.
    fn is_closed(&mut self, text: &str) -> bool {
        for byte in text.bytes().skip(self.at) {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.in_text,
                b'"' => self.in_text = !self.in_text,
                b'{' | b'[' if !self.in_text => {
                    self.depth += 1;
                    self.has_begun = true;
                }
                b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = text.len();
        self.has_begun && self.depth == 0 && !self.in_text
    }
}
