//! Reads responses, whole and as events: an item of a whole response is read as one that is done.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::reply::{FinishReason, Reply};
use crate::wire::assembler::{Assembler, CallFields, CallPiece};
use crate::wire::error::{ProviderError, WireError, WireErrorKind, is_error};
use crate::wire::fields::{Count, JsonText, List, Object, Text, TextOr};
use crate::wire::protocol_reader::{Next, ProtocolReader};
use crate::wire::usage::BodyUsage;

/// Reads an answer, in one body or in events.
#[derive(Debug, Clone, Default)]
pub(in crate::wire) struct ResponsesReader {
    assembler: Assembler,
    /// What was told of the items, in the order in which they were named. An item's place in it is its key.
    items: Vec<Told>,
    /// The keys of the items that an index of the protocol named last, and those of their ids.
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// The part of the reasoning that was told last.
    reasoning: Option<ReasoningPart>,
}

/// What was told of an item.
#[derive(Debug, Clone, Default)]
struct Told {
    /// The type of the item; empty where only deltas named it.
    kind: String,
    /// How many of its parts were told.
    parts: u64,
    /// In which words its reasoning was told.
    thoughts: Option<Thoughts>,
    /// How many parts of its reasoning were told.
    thought_parts: u64,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thoughts {
    Summary,
    Text,
}

/// A part of the reasoning: its item, and its index in that.
type ReasoningPart = (usize, u64);

/// An event, or a whole response.
#[derive(Deserialize)]
struct Event<'j> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'j>,
    #[serde(default)]
    output_index: Count,
    #[serde(borrow, default)]
    item_id: Text<'j>,
    #[serde(default)]
    summary_index: Count,
    #[serde(default)]
    content_index: Count,
    #[serde(borrow, default)]
    delta: Text<'j>,
    #[serde(borrow, default)]
    text: Text<'j>,
    #[serde(borrow, default)]
    refusal: Text<'j>,
    #[serde(borrow, default)]
    arguments: JsonText<'j>,
    #[serde(borrow, default)]
    input: Text<'j>,
    #[serde(borrow, default)]
    item: Option<&'j RawValue>,
    #[serde(borrow, default)]
    response: Option<&'j RawValue>,
    #[serde(borrow, default)]
    error: Option<&'j RawValue>,
}

#[derive(Deserialize)]
struct Response<'j> {
    /// Events have it, and responses have none.
    #[serde(borrow, default, rename = "type")]
    event: Text<'j>,
    #[serde(borrow, default)]
    id: Text<'j>,
    #[serde(borrow, default)]
    model: Text<'j>,
    #[serde(borrow, default)]
    status: Text<'j>,
    #[serde(borrow, default)]
    object: Text<'j>,
    #[serde(borrow, default)]
    output: List<Object<Item<'j>>>,
    #[serde(borrow, default)]
    output_text: Text<'j>,
    #[serde(borrow, default)]
    incomplete_details: Object<Incomplete<'j>>,
    #[serde(borrow, default)]
    error: Option<&'j RawValue>,
    #[serde(default)]
    usage: Object<BodyUsage>,
}

/// The items of a response as they are written.
#[derive(Deserialize)]
struct Written<'j> {
    #[serde(borrow)]
    output: Vec<&'j RawValue>,
}

#[derive(Deserialize)]
struct Incomplete<'j> {
    #[serde(borrow, default)]
    reason: Text<'j>,
}

#[derive(Deserialize)]
struct Item<'j> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'j>,
    #[serde(borrow, default)]
    call_id: Text<'j>,
    #[serde(borrow, default)]
    id: Text<'j>,
    #[serde(borrow, default)]
    name: Text<'j>,
    #[serde(borrow, default)]
    arguments: JsonText<'j>,
    #[serde(borrow, default)]
    input: Text<'j>,
    #[serde(borrow, default)]
    status: Text<'j>,
    #[serde(borrow, default)]
    phase: Text<'j>,
    #[serde(borrow, default)]
    namespace: Option<&'j RawValue>,
    #[serde(borrow, default)]
    caller: Option<&'j RawValue>,
    #[serde(borrow, default)]
    content: Parts<'j>,
    #[serde(borrow, default)]
    summary: Parts<'j>,
}

/// The parts of an item.
#[derive(Default)]
struct Parts<'j>(Vec<Part<'j>>);

impl<'de: 'j, 'j> Deserialize<'de> for Parts<'j> {
    /// A text, or a list of parts.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = TextOr::<List<TextOr<'j, Object<Part<'j>>>>>::deserialize(deserializer)?;
        let list = match parts {
            TextOr::Text(text) => return Ok(Self(vec![Part::text(text)])),
            TextOr::Other(list) => list.0,
        };
        let part = |part: TextOr<'j, Object<Part<'j>>>| match part {
            TextOr::Text(text) => Some(Part::text(text)),
            TextOr::Other(part) => part.0,
        };
        Ok(Self(list.into_iter().filter_map(part).collect()))
    }
}

#[derive(Deserialize)]
struct Part<'j> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'j>,
    #[serde(borrow, default)]
    text: Text<'j>,
    #[serde(borrow, default)]
    refusal: Text<'j>,
}

impl<'j> Part<'j> {
    /// A text that stands without a part around it.
    fn text(text: Text<'j>) -> Self {
        Self { kind: Text::default(), text, refusal: Text::default() }
    }
}

impl ProtocolReader for ResponsesReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::with_offered(offered), ..Self::default() }
    }

    /// Reads an event, or a whole response.
    fn read(&mut self, json: &str) -> Result<Next, WireError> {
        let event: Event<'_> = WireError::read_object(json)?;
        let Some(kind) = event.kind.get() else {
            return self.read_response(json, None);
        };
        let index = event.output_index.0;
        let id = event.item_id.get();
        let part = event.content_index.0.unwrap_or(0);
        match kind {
            "error" => {
                let error = event.error.map_or(json, RawValue::get);
                return Err(ProviderError::from_json(error).into());
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                if let Some(response) = event.response {
                    let response: Response<'_> =
                        serde_json::from_str(response.get()).map_err(WireError::no_event)?;
                    self.assembler.identity(response.id.get(), response.model.get());
                }
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.done"
            | "response.cancelled" => {
                let status = kind.trim_start_matches("response.");
                let response = event.response.map_or("{}", RawValue::get);
                return self.read_response(response, Some(status));
            }
            "response.output_item.added" => {
                if let Some(item) = event.item {
                    self.added(index, item).map_err(WireError::no_event)?;
                }
            }
            "response.output_item.done" => {
                if let Some(item) = event.item {
                    self.done(index, item).map_err(WireError::no_event)?;
                }
            }
            "response.output_text.delta" => {
                let key = self.key(index, id);
                self.told_part(key, part);
                self.assembler.content(&event.delta.0);
            }
            "response.output_text.done" => {
                let key = self.key(index, id);
                if self.told_part(key, part) {
                    self.assembler.content(&event.text.0);
                }
            }
            "response.refusal.delta" => {
                let key = self.key(index, id);
                self.told_part(key, part);
                self.assembler.refusal(&event.delta.0);
            }
            "response.refusal.done" => {
                let key = self.key(index, id);
                if self.told_part(key, part) {
                    self.assembler.refusal(&event.refusal.0);
                }
            }
            "response.reasoning_summary_text.delta" => {
                let part = (self.key(index, id), event.summary_index.0.unwrap_or(0));
                self.thought(Thoughts::Summary, part, &event.delta.0);
            }
            "response.reasoning_text.delta" => {
                let part = (self.key(index, id), part);
                self.thought(Thoughts::Text, part, &event.delta.0);
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let arguments = &*event.delta.0;
                let key = self.key(index, id) as u64;
                self.assembler.indexed_call(key, CallPiece { arguments, ..CallPiece::default() });
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                let whole =
                    if event.arguments.0.is_empty() { &event.input.0 } else { &event.arguments.0 };
                let key = self.key(index, id) as u64;
                if !self.assembler.has_arguments(key) {
                    let piece = CallPiece { arguments: whole, ..CallPiece::default() };
                    self.assembler.indexed_call(key, piece);
                }
            }
            "response.reasoning_summary_text.done" => {
                let part = (self.key(index, id), event.summary_index.0.unwrap_or(0));
                self.whole_thought(Thoughts::Summary, part, &event.text.0);
            }
            "response.reasoning_text.done" => {
                let part = (self.key(index, id), part);
                self.whole_thought(Thoughts::Text, part, &event.text.0);
            }
            // Parts that begin and end, annotations, the progress of the provider's own tools, and events that
            // are newer than this library.
            _ if kind.starts_with("response.") => {}
            _ => return Ok(Next::Unknown),
        }
        Ok(Next::More)
    }

    /// Reads a whole response.
    fn read_whole(&mut self, json: &str) -> Result<Next, WireError> {
        let response: Response<'_> = WireError::read_object(json)?;
        match response.event.get() {
            None => self.response(&response, json, None),
            Some(_) => self.read(json),
        }
    }

    fn told(&self) -> &Assembler {
        &self.assembler
    }

    fn told_mut(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.assembler.end();
    }

    fn into_reply(self) -> Reply {
        self.assembler.into_reply()
    }
}

impl ResponsesReader {
    /// Reads a response as it is at its end, with the status that its event says.
    fn read_response(&mut self, json: &str, status: Option<&str>) -> Result<Next, WireError> {
        let response: Response<'_> = WireError::read_object(json)?;
        self.response(&response, json, status)
    }

    /// Reads a response. Its own status counts, and where it has none, that of its event.
    fn response(
        &mut self,
        response: &Response<'_>,
        json: &str,
        status: Option<&str>,
    ) -> Result<Next, WireError> {
        // Proxies send maps of their own to keep a connection open.
        if status.is_none() && !response.is_one() {
            return Ok(Next::Unknown);
        }
        self.assembler.identity(response.id.get(), response.model.get());
        if let Some(usage) = &response.usage.0 {
            self.assembler.usage(usage.usage());
        }
        let keys = self.listed_keys(&response.output.0);
        let is_done = |key: &usize| self.items.get(*key).is_some_and(|told| told.is_done);
        let is_new = |(item, key): (&Object<Item<'_>>, &usize)| {
            !is_done(key) && item.0.as_ref().is_none_or(Item::is_kept)
        };
        // Only what is kept as it is needs its text, and most responses have none of that.
        let written = match response.output.0.iter().zip(&keys).any(is_new) {
            true => serde_json::from_str::<Written<'_>>(json).map_err(WireError::no_event)?.output,
            false => Vec::new(),
        };
        let mut written = written.into_iter();
        for (item, key) in response.output.0.iter().zip(keys) {
            let json = written.next().map_or("null", RawValue::get);
            self.item_done(key, item.0.as_ref(), json);
        }
        if !self.assembler.has_told() {
            self.assembler.content(&response.output_text.0);
        }
        if let Some(error) = response.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        match response.status.get().or(status).unwrap_or("completed") {
            "failed" => Err(ProviderError::from_json("\"the response failed\"").into()),
            // A response that is made in the background.
            "queued" | "in_progress" => {
                Err(WireError::new(WireErrorKind::CutOff, "the response is not done yet")
                    .with_help("ask the provider for it again, by its id"))
            }
            status => {
                self.finished(response, status);
                Ok(Next::Nothing)
            }
        }
    }

    /// The keys of the items that a whole response lists. An item is known by its id; where that has changed on the
    /// way, it is the first of its type that no other item of the list is. The list may lack items that events told.
    fn listed_keys(&mut self, listed: &[Object<Item<'_>>]) -> Vec<usize> {
        let by_id = |item: &Object<Item<'_>>| {
            let id = item.0.as_ref().map_or("", Item::own_id);
            self.by_id.get(id).copied()
        };
        let mut keys: Vec<Option<usize>> = listed.iter().map(by_id).collect();
        let mut is_free: Vec<bool> = vec![true; self.items.len()];
        for key in keys.iter().flatten() {
            if let Some(free) = is_free.get_mut(*key) {
                *free = false;
            }
        }
        let mut free: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (key, told) in
            self.items.iter().enumerate().filter(|(key, _)| is_free.get(*key) == Some(&true))
        {
            free.entry(&told.kind).or_default().push_back(key);
        }
        for (key, item) in keys.iter_mut().zip(listed).filter(|(key, _)| key.is_none()) {
            let kind = item.0.as_ref().map_or("", |item| &*item.kind.0);
            // What only deltas named has no type.
            *key = [kind, ""].iter().find_map(|kind| free.get_mut(kind)?.pop_front());
        }
        keys.into_iter().map(|key| key.unwrap_or_else(|| self.new_item(None))).collect()
    }

    fn finished(&mut self, response: &Response<'_>, status: &str) {
        let incomplete = response.incomplete_details.0.as_ref();
        let why = incomplete.and_then(|it| it.reason.get());
        let word = match why {
            Some(why) => format!("{status}:{why}"),
            None => status.to_owned(),
        };
        let has_calls = self.assembler.has_calls();
        let reason = match (status, why) {
            ("completed" | "done", _) if has_calls => FinishReason::ToolCalls,
            ("completed" | "done", _) => FinishReason::End,
            ("incomplete", Some("content_filter")) => FinishReason::Filtered,
            ("incomplete", _) => FinishReason::Length,
            ("cancelled", _) => FinishReason::Cancelled,
            _ => FinishReason::Other,
        };
        self.assembler.finished(word, reason);
    }

    /// The key of the item that an event names by its index or its id, which both may be missing.
    fn key(&mut self, index: Option<u64>, id: Option<&str>) -> usize {
        let by_id = id.and_then(|id| self.by_id.get(id)).copied();
        let found = by_id.or_else(|| match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.items.len().checked_sub(1),
        });
        found.unwrap_or_else(|| self.new_item(index))
    }

    fn new_item(&mut self, index: Option<u64>) -> usize {
        let key = self.items.len();
        self.items.push(Told::default());
        if let Some(index) = index {
            self.by_index.insert(index, key);
        }
        key
    }

    /// The key of an item that an event has: one that is known by its id; else the one at its index, if that can be
    /// the same; else a new one.
    fn key_of(&mut self, index: Option<u64>, item: &Item<'_>, is_done: bool) -> usize {
        if let Some(key) = self.by_id.get(item.own_id()) {
            return *key;
        }
        let found = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.items.len().checked_sub(1),
        };
        let known = found.and_then(|key| Some((key, self.items.get(key)?)));
        match known {
            // Its id has changed on the way, or only deltas named it.
            Some((key, told))
                if !told.is_done
                    && (told.kind.is_empty() || (is_done && told.kind == item.kind.0)) =>
            {
                key
            }
            _ => self.new_item(index),
        }
    }

    /// What was told of an item.
    fn item(&mut self, key: usize) -> Option<&mut Told> {
        self.items.get_mut(key)
    }

    /// Notes that a part of an item is told. Whether it is told for the first time is returned.
    fn told_part(&mut self, key: usize, part: u64) -> bool {
        let Some(told) = self.item(key) else { return false };
        let is_new = part >= told.parts;
        told.parts = told.parts.max(part.saturating_add(1));
        is_new
    }

    /// Notes what an item is.
    fn know(&mut self, key: usize, item: &Item<'_>) {
        if let Some(told) = self.item(key) {
            item.kind.0.as_ref().clone_into(&mut told.kind);
        }
        for id in [item.own_id(), &*item.id.0].into_iter().filter(|id| !id.is_empty()) {
            self.by_id.insert(id.to_owned(), key);
        }
    }

    /// Tells more of a part of the reasoning. Parts are separated by a blank line. An item is told in the words
    /// that come first, its summary or its text.
    fn thought(&mut self, thoughts: Thoughts, part: ReasoningPart, text: &str) {
        let Some(told) = self.item(part.0) else { return };
        if text.is_empty() || *told.thoughts.get_or_insert(thoughts) != thoughts {
            return;
        }
        told.thought_parts = told.thought_parts.max(part.1.saturating_add(1));
        let before = self.reasoning.replace(part);
        if before.is_some_and(|before| before != part) {
            self.assembler.reasoning("\n\n");
        }
        self.assembler.reasoning(text);
    }

    /// Tells a part of the reasoning that is whole, if nothing of it was told.
    fn whole_thought(&mut self, thoughts: Thoughts, part: ReasoningPart, text: &str) {
        if self.item(part.0).is_some_and(|told| part.1 >= told.thought_parts) {
            self.thought(thoughts, part, text);
        }
    }

    fn added(&mut self, index: Option<u64>, json: &RawValue) -> Result<(), serde_json::Error> {
        let item: Object<Item<'_>> = serde_json::from_str(json.get())?;
        let Some(item) = item.0 else { return Ok(()) };
        let key = self.key_of(index, &item, false);
        self.know(key, &item);
        if let Some(piece) = item.call() {
            self.assembler.indexed_call(key as u64, CallPiece { arguments: "", ..piece });
        }
        if let Some(phase) = item.phase.get() {
            self.assembler.phase(phase);
        }
        Ok(())
    }

    fn done(&mut self, index: Option<u64>, json: &RawValue) -> Result<(), serde_json::Error> {
        let item: Object<Item<'_>> = serde_json::from_str(json.get())?;
        let key = match &item.0 {
            Some(item) => self.key_of(index, item, true),
            None => self.new_item(index),
        };
        self.item_done(key, item.0.as_ref(), json.get());
        Ok(())
    }

    /// An item is whole; with how it is written, where that is kept.
    fn item_done(&mut self, key: usize, item: Option<&Item<'_>>, json: &str) {
        let was_done = self.item(key).map(|told| std::mem::replace(&mut told.is_done, true));
        if was_done != Some(false) {
            return;
        }
        let Some(item) = item else { return self.assembler.other(PROTOCOL, json) };
        self.know(key, item);
        if let Some(piece) = item.call() {
            let index = key as u64;
            match item.status.get() {
                Some("incomplete" | "in_progress") => {
                    let has_arguments = self.assembler.has_arguments(index);
                    let arguments = if has_arguments { "" } else { piece.arguments };
                    self.assembler.indexed_call(index, CallPiece { arguments, ..piece });
                }
                _ => self.assembler.end_indexed_call(index, piece),
            }
            return;
        }
        if item.kind.get() == Some("reasoning") {
            self.reasoning(key, item);
        }
        match item.is_kept() {
            true => self.assembler.other(PROTOCOL, json),
            false => self.message(key, item),
        }
    }

    /// Tells a message of which nothing was told.
    fn message(&mut self, key: usize, item: &Item<'_>) {
        let told = self.item(key).map_or(0, |told| told.parts);
        for (_, part) in (0..).zip(&item.content.0).filter(|(at, _)| *at >= told) {
            if let Some(phase) = item.phase.get() {
                self.assembler.phase(phase);
            }
            match part.kind.get() {
                Some("refusal") => self.assembler.refusal(&part.refusal.0),
                _ => self.assembler.content(&part.text.0),
            }
        }
    }

    /// Tells reasoning of which nothing was told.
    fn reasoning(&mut self, key: usize, item: &Item<'_>) {
        if self.item(key).is_none_or(|told| told.thoughts.is_some()) {
            return;
        }
        for (thoughts, parts) in
            [(Thoughts::Summary, &item.summary), (Thoughts::Text, &item.content)]
        {
            for (part, text) in (0..).zip(&parts.0) {
                self.thought(thoughts, (key, part), &text.text.0);
            }
        }
    }
}

impl Response<'_> {
    /// Whether it is a response at all.
    fn is_one(&self) -> bool {
        self.object.get() == Some("response")
            || self.status.get().is_some()
            || !self.output.0.is_empty()
            || self.output_text.get().is_some()
            || self.error.is_some_and(|error| is_error(error.get()))
    }
}

impl Item<'_> {
    /// Whether it is kept as it is written: all but messages and calls.
    fn is_kept(&self) -> bool {
        self.call().is_none() && self.kind.get() != Some("message")
    }

    /// What the item is known by: the id of a call that the caller carries out, else its own. A call that the provider
    /// carries out has one id with its result.
    fn own_id(&self) -> &str {
        let call_id = self.call_id.get().filter(|_| self.is_call());
        call_id.or(self.id.get()).unwrap_or_default()
    }

    /// Whether the caller must carry the item out.
    fn is_call(&self) -> bool {
        matches!(self.kind.get(), Some("function_call" | "custom_tool_call"))
    }

    /// The call, if the item is one that the caller must carry out.
    fn call(&self) -> Option<CallPiece<'_>> {
        let free_text = match self.kind.get() {
            Some("function_call") => false,
            Some("custom_tool_call") => true,
            _ => return None,
        };
        let arguments: &Cow<'_, str> = if free_text { &self.input.0 } else { &self.arguments.0 };
        let id = Some(self.own_id()).filter(|id| !id.is_empty());
        let fields = CallFields::new(PROTOCOL, CALL_FIELDS, [self.namespace, self.caller]);
        Some(CallPiece { id, name: self.name.get(), arguments, free_text, fields })
    }
}
