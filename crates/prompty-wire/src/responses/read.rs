//! Reads responses, whole and as events: an item of a whole response is read as one that is done.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::PROTOCOL;
use super::forms::{Event, Item, Part, Response, Written};
use crate::assembler::{Assembler, CallPiece};
use crate::error::{ProviderError, Result, WireError, WireErrorKind, is_error};
use crate::fields::Object;
use crate::protocol_reader::{Next, ProtocolReader};
use prompty_reply::{FinishReason, Reply};

/// Reads an answer, in one body or in events.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponsesReader {
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
    /// Its parts of which any text was told.
    parts: BTreeSet<u64>,
    /// In which words its reasoning was told.
    thoughts: Option<Thoughts>,
    /// The parts of its reasoning of which any text was told.
    thought_parts: BTreeSet<u64>,
    /// The item as it was when it was added, if any text stood in it: it counts where nothing else comes.
    added: Option<Box<RawValue>>,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thoughts {
    Summary,
    Text,
}

/// A part of the reasoning: its item, and its index in that.
type ReasoningPart = (usize, u64);

impl ProtocolReader for ResponsesReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::with_offered(offered), ..Self::default() }
    }

    /// Reads an event, or a whole response.
    fn read(&mut self, json: &str) -> Result<Next> {
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
                self.told_part(key, part, &event.delta.0);
                self.assembler.content(&event.delta.0);
            }
            "response.output_text.done" => {
                let key = self.key(index, id);
                self.whole_part(key, part, &event.text.0, Assembler::content);
            }
            "response.refusal.delta" => {
                let key = self.key(index, id);
                self.told_part(key, part, &event.delta.0);
                self.assembler.refusal(&event.delta.0);
            }
            "response.refusal.done" => {
                let key = self.key(index, id);
                self.whole_part(key, part, &event.refusal.0, Assembler::refusal);
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
            "response.content_part.done" => {
                if let Some(part_json) = event.part {
                    let key = self.key(index, id);
                    self.part_done(key, part, part_json).map_err(WireError::no_event)?;
                }
            }
            "response.reasoning_summary_part.done" => {
                if let Some(part_json) = event.part {
                    let whole: Object<Part<'_>> =
                        serde_json::from_str(part_json.get()).map_err(WireError::no_event)?;
                    let part = (self.key(index, id), event.summary_index.0.unwrap_or(0));
                    let text = whole.0.map(|it| it.text).unwrap_or_default();
                    self.whole_thought(Thoughts::Summary, part, &text.0);
                }
            }
            // Parts that begin, annotations, the progress of the provider's own tools, and events that
            // are newer than this library.
            _ if kind.starts_with("response.") => {}
            _ => return Ok(Next::Unknown),
        }
        Ok(Next::More)
    }

    /// Reads a whole response.
    fn read_whole(&mut self, json: &str) -> Result<Next> {
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
        self.end_added();
        self.assembler.end();
    }

    fn into_reply(self) -> Reply {
        self.assembler.into_reply()
    }
}

impl ResponsesReader {
    /// Reads a response as it is at its end, with the status that its event says.
    fn read_response(&mut self, json: &str, status: Option<&str>) -> Result<Next> {
        let response: Response<'_> = WireError::read_object(json)?;
        self.response(&response, json, status)
    }

    /// Reads a response. Its own status counts, and where it has none, that of its event.
    fn response(
        &mut self,
        response: &Response<'_>,
        json: &str,
        status: Option<&str>,
    ) -> Result<Next> {
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
        self.end_added();
        if !self.assembler.has_told() {
            self.assembler.content(&response.output_text.0);
        }
        if let Some(error) = response.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        match response.status.get().or(status).unwrap_or("completed") {
            "failed" => Err(ProviderError {
                message: "the response failed".to_owned(),
                code: Some("failed".to_owned()),
                ..ProviderError::default()
            }
            .into()),
            // A response that is made in the background.
            status @ ("queued" | "in_progress") => {
                // The reply says how it ended, so it is nothing to ask for again: that would begin another response.
                self.finished(response, status);
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

    /// Notes that a text of a part of an item is told. Whether it is the first of that part is returned.
    fn told_part(&mut self, key: usize, part: u64, text: &str) -> bool {
        match self.item(key) {
            Some(told) if !text.is_empty() => told.parts.insert(part),
            _ => false,
        }
    }

    /// Reports the text of a part of an item, unless the part was reported before.
    fn whole_part(&mut self, key: usize, part: u64, text: &str, tell: fn(&mut Assembler, &str)) {
        if self.told_part(key, part, text) {
            tell(&mut self.assembler, text);
        }
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
        told.thought_parts.insert(part.1);
        let before = self.reasoning.replace(part);
        if before.is_some_and(|before| before != part) {
            self.assembler.reasoning("\n\n");
        }
        self.assembler.reasoning(text);
    }

    /// Tells a part of the reasoning that is whole, if nothing of it was told.
    fn whole_thought(&mut self, thoughts: Thoughts, part: ReasoningPart, text: &str) {
        if self.item(part.0).is_some_and(|told| !told.thought_parts.contains(&part.1)) {
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
        if let Some(told) = self.item(key).filter(|told| !told.is_done && item.says_anything()) {
            told.added = Some(json.to_owned());
        }
        if item.kind.get() == Some("message") {
            self.assembler.phase(&item.phase.0);
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

    /// A part of an item is whole. It is told if nothing of it was.
    fn part_done(
        &mut self,
        key: usize,
        index: u64,
        json: &RawValue,
    ) -> Result<(), serde_json::Error> {
        let part: Object<Part<'_>> = serde_json::from_str(json.get())?;
        match part.0 {
            Some(part) if part.kind.get() == Some("reasoning_text") => {
                self.whole_thought(Thoughts::Text, (key, index), &part.text.0);
            }
            Some(part) => self.part(key, index, &part),
            None => {}
        }
        Ok(())
    }

    /// Tells what stood in items when they were added, where nothing else came of them.
    fn end_added(&mut self) {
        for key in 0..self.items.len() {
            self.added_texts(key);
        }
    }

    /// The same of one item.
    fn added_texts(&mut self, key: usize) {
        let Some(json) = self.item(key).and_then(|told| told.added.take()) else { return };
        let Ok(Object(Some(item))) = serde_json::from_str::<Object<Item<'_>>>(json.get()) else {
            return;
        };
        match item.call() {
            Some(piece) => self.call_so_far(key as u64, piece),
            None => self.texts(key, &item),
        }
    }

    /// An item is whole; with how it is written, where that is kept.
    fn item_done(&mut self, key: usize, item: Option<&Item<'_>>, json: &str) {
        let was_done = self.item(key).map(|told| std::mem::replace(&mut told.is_done, true));
        if was_done != Some(false) {
            return;
        }
        let Some(item) = item else { return self.assembler.other(PROTOCOL, json) };
        self.know(key, item);
        let Some(piece) = item.call() else {
            self.texts(key, item);
            // What is not here was whole when the item was added.
            if !item.says_anything() {
                self.added_texts(key);
            }
            if item.is_kept() {
                self.assembler.other(PROTOCOL, json);
            }
            return self.forget_added(key);
        };
        let index = key as u64;
        if piece.arguments.is_empty() {
            self.added_texts(key);
        }
        match item.status.get() {
            Some("incomplete" | "in_progress") => self.call_so_far(index, piece),
            _ => self.assembler.end_indexed_call(index, piece),
        }
        self.forget_added(key);
    }

    fn forget_added(&mut self, key: usize) {
        if let Some(told) = self.item(key) {
            told.added = None;
        }
    }

    /// Takes a call that may not have ended, with its arguments where none came before.
    fn call_so_far(&mut self, index: u64, piece: CallPiece<'_>) {
        let has_arguments = self.assembler.has_arguments(index);
        let arguments = if has_arguments { "" } else { piece.arguments };
        self.assembler.indexed_call(index, CallPiece { arguments, ..piece });
    }

    /// Tells the texts of an item of which nothing was told.
    fn texts(&mut self, key: usize, item: &Item<'_>) {
        match item.kind.get() {
            Some("reasoning") => self.reasoning(key, item),
            Some("message") => self.message(key, item),
            _ => {}
        }
    }

    /// Tells the parts of a message of which nothing was told.
    fn message(&mut self, key: usize, item: &Item<'_>) {
        for (index, part) in (0..).zip(&item.content.0) {
            if self.item(key).is_none_or(|told| told.parts.contains(&index)) {
                continue;
            }
            self.assembler.phase(&item.phase.0);
            self.part(key, index, part);
        }
    }

    /// Tells a part of a message if nothing of it was told.
    fn part(&mut self, key: usize, index: u64, part: &Part<'_>) {
        match part.kind.get() {
            Some("refusal") => self.whole_part(key, index, &part.refusal.0, Assembler::refusal),
            _ => self.whole_part(key, index, &part.text.0, Assembler::content),
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
