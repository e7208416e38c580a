//! Reads responses, complete or as events. An item of a complete response is read like a finished
//! item of an event.
//!
//! An event names its item by an index or an id, and providers omit or change both. So each item
//! has a key of its own, its index in `items`. It is also the index of its call in the assembler.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::json_types::{
    ItemPart, OutputItem, Response, ResponseIdentity, ResponsesEvent, WrittenItems, WrittenPart,
    WrittenParts,
};
use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{Assembler, CallPiece};
use crate::error::{ProviderError, Result, WireError, WireErrorKind, is_error};
use crate::fields::{Object, is_empty_json};
use crate::protocol_reader::{AfterEvent, ProtocolReader};
use prompty_reply::FinishReason;

/// Reads an answer, in one body or in events.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponsesReader {
    assembler: Assembler,
    /// The state of the items, in the order of their first event. The key of an item is its index
    /// here.
    items: Vec<ItemState>,
    /// The keys of the items, by the index that the protocol used last, and by their ids.
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// The part of the reasoning that was reported last.
    last_reasoning: Option<ReasoningPartKey>,
}

/// How much of an item was reported.
#[derive(Debug, Clone, Default)]
struct ItemState {
    /// The type of the item; empty if only deltas named it.
    kind: String,
    /// The parts with reported text.
    reported_parts: BTreeSet<u64>,
    /// The form of the reported reasoning.
    reasoning_form: Option<ReasoningForm>,
    /// The reasoning parts with reported text.
    reported_reasoning: BTreeSet<u64>,
    /// The item as it was added, if it had any text. It is used if no other text arrives.
    added: Option<Box<RawValue>>,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReasoningForm {
    Summary,
    Text,
}

/// The key of a reasoning part: its item, and its index there.
type ReasoningPartKey = (usize, u64);

impl ProtocolReader for ResponsesReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::new(PROTOCOL, CALL_FIELDS, offered), ..Self::default() }
    }

    /// Reads an event, or a complete response.
    fn read(&mut self, json: &str) -> Result<AfterEvent> {
        let event: ResponsesEvent<'_> = WireError::read_object(json)?;
        let kind = match event.kind.get() {
            Some(kind) => kind,
            None if event.has_content() => return Err(WireError::unknown_content(json)),
            None => return self.read_response(json, None),
        };
        match kind {
            "error" => {
                let error = event.error.map_or(json, RawValue::get);
                return Err(ProviderError::from_json(error).into());
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                if let Some(response) = event.response {
                    let response: Object<ResponseIdentity<'_>> =
                        WireError::read_json(response.get())?;
                    if let Some(response) = response.0 {
                        self.assembler.set_identity(response.id.get(), response.model.get());
                    }
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
            _ => match kind.strip_prefix("response.") {
                Some(kind) if event.delta.is_of_other_type && is_text_delta(kind) => {
                    return Err(WireError::unknown_content(json));
                }
                Some(kind) => {
                    self.read_item_event(kind, &event)?;
                }
                // An event that is newer than this library, and has content.
                None if event.has_content() => return Err(WireError::unknown_content(json)),
                None => return Ok(AfterEvent::Unknown),
            },
        }
        Ok(AfterEvent::More)
    }

    /// Reads a complete response.
    fn read_complete(&mut self, json: &str) -> Result<AfterEvent> {
        let response: Response<'_> = WireError::read_object(json)?;
        match response.event.get() {
            None => self.read_parsed_response(&response, json, None),
            Some(_) => self.read(json),
        }
    }

    fn assembler(&self) -> &Assembler {
        &self.assembler
    }

    fn assembler_mut(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    fn item_count(&self) -> usize {
        self.assembler.item_count() + self.items.len()
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.report_added();
        self.assembler.end();
    }
}

/// Whether an event, by its type without `response.`, has a piece of a text or of arguments.
fn is_text_delta(kind: &str) -> bool {
    matches!(
        kind,
        "output_text.delta"
            | "refusal.delta"
            | "reasoning_summary_text.delta"
            | "reasoning_text.delta"
            | "function_call_arguments.delta"
            | "custom_tool_call_input.delta"
    )
}

impl ResponsesReader {
    /// Reads an event of an item, by its type without `response.`. Other types are ignored: the
    /// start of parts, annotations, the progress of provider tools, and types that are newer than
    /// this library.
    fn read_item_event(&mut self, kind: &str, event: &ResponsesEvent<'_>) -> Result<()> {
        match (kind, event.item, event.part) {
            ("output_item.added", Some(item), _) => self.add_item(event.output_index.0, item)?,
            ("output_item.done", Some(item), _) => self.end_item(event.output_index.0, item)?,
            ("content_part.done", _, Some(part)) => {
                let key = self.event_key(event);
                self.read_complete_part(key, event.content_index.0.unwrap_or(0), part)?;
            }
            ("reasoning_summary_part.done", _, Some(part)) => {
                let part: Object<ItemPart<'_>> = WireError::read_json(part.get())?;
                let text = part.0.map(|it| it.text).unwrap_or_default();
                let (form, part) = self.reasoning_part(kind, event);
                self.report_reasoning_part(form, part, &text.0);
            }
            _ => self.read_text_event(kind, event)?,
        }
        Ok(())
    }

    /// Reads a piece of a text or of arguments (`delta`), or all of it (`done`).
    fn read_text_event(&mut self, kind: &str, event: &ResponsesEvent<'_>) -> Result<()> {
        let (delta, part) = (&*event.delta.text, event.content_index.0.unwrap_or(0));
        match kind {
            "output_text.delta" => self.add_delta(event, Assembler::add_content),
            "refusal.delta" => self.add_delta(event, Assembler::add_refusal),
            "output_text.done" => {
                let key = self.event_key(event);
                let text = event.complete_text()?;
                self.report_part(key, part, &text.0, Assembler::add_content);
            }
            "refusal.done" => {
                let key = self.event_key(event);
                self.report_part(key, part, &event.refusal.0, Assembler::add_refusal);
            }
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                let (form, part) = self.reasoning_part(kind, event);
                self.add_reasoning(form, part, delta);
            }
            "reasoning_summary_text.done" | "reasoning_text.done" => {
                let (form, part) = self.reasoning_part(kind, event);
                self.report_reasoning_part(form, part, &event.complete_text()?.0);
            }
            "function_call_arguments.delta" | "custom_tool_call_input.delta" => {
                let piece = CallPiece { arguments: delta, ..CallPiece::default() };
                let key = self.event_key(event) as u64;
                self.assembler.add_to_indexed_call(key, piece);
            }
            "function_call_arguments.done" | "custom_tool_call_input.done" => {
                let has_input = event.arguments.0.is_empty();
                let arguments = if has_input { &event.input.0 } else { &event.arguments.0 };
                let key = self.event_key(event) as u64;
                if !self.assembler.has_arguments(key) {
                    let piece = CallPiece { arguments, ..CallPiece::default() };
                    self.assembler.add_to_indexed_call(key, piece);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a piece of a text.
    fn add_delta(&mut self, event: &ResponsesEvent<'_>, add: fn(&mut Assembler, &str)) {
        let key = self.event_key(event);
        self.mark_reported(key, event.content_index.0.unwrap_or(0), &event.delta.text);
        add(&mut self.assembler, &event.delta.text);
    }

    /// The reasoning part that an event is about.
    fn reasoning_part(
        &mut self,
        kind: &str,
        event: &ResponsesEvent<'_>,
    ) -> (ReasoningForm, ReasoningPartKey) {
        let (form, index) = match kind.starts_with("reasoning_summary") {
            true => (ReasoningForm::Summary, event.summary_index),
            false => (ReasoningForm::Text, event.content_index),
        };
        (form, (self.event_key(event), index.0.unwrap_or(0)))
    }

    /// Reads a finished response, with the status of its event.
    fn read_response(&mut self, json: &str, status: Option<&str>) -> Result<AfterEvent> {
        let response: Response<'_> = WireError::read_object(json)?;
        self.read_parsed_response(&response, json, status)
    }

    /// Reads a response. Its own status takes precedence over the status of its event.
    fn read_parsed_response(
        &mut self,
        response: &Response<'_>,
        json: &str,
        status: Option<&str>,
    ) -> Result<AfterEvent> {
        // Proxies send other objects to keep a connection open.
        if status.is_none() && !response.is_one() {
            return Ok(AfterEvent::Unknown);
        }
        self.assembler.set_identity(response.id.get(), response.model.get());
        if let Some(usage) = &response.usage.0 {
            self.assembler.add_usage(usage.usage());
        }
        let keys = self.listed_keys(&response.output.0);
        let is_done = |key: &usize| self.items.get(*key).is_some_and(|state| state.is_done);
        let needs_json = |(item, key): (&Object<OutputItem<'_>>, &usize)| {
            let has_kept_json = |item: &OutputItem<'_>| item.is_kept() || item.has_unread_part();
            !is_done(key) && item.0.as_ref().is_none_or(has_kept_json)
        };
        // Only items whose JSON is kept need their JSON text, and most responses have none.
        let written = match response.output.0.iter().zip(&keys).any(needs_json) {
            true => WireError::read_json::<WrittenItems<'_>>(json)?.output,
            false => Vec::new(),
        };
        let mut written = written.into_iter();
        for (item, key) in response.output.0.iter().zip(keys) {
            let json = written.next().map_or("null", RawValue::get);
            self.finish_item(key, item.0.as_ref(), json);
        }
        self.report_added();
        if !self.assembler.has_reported() {
            self.assembler.add_content(&response.output_text.0);
        }
        if let Some(error) = response.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        match response.status.get().or(status).unwrap_or("completed") {
            "failed" => Err(ProviderError {
                message: "the response failed without a reason".to_owned(),
                code: Some("failed".to_owned()),
                ..ProviderError::default()
            }
            .into()),
            // A response that is created in the background.
            status @ ("queued" | "in_progress") => {
                // The finish reason makes the error not retryable: a retry would
                // start another response.
                self.set_finish(response, status);
                Err(WireError::new(WireErrorKind::CutOff, "the response is not finished")
                    .with_help("fetch it from the provider later, by its id"))
            }
            status => {
                self.set_finish(response, status);
                Ok(AfterEvent::End)
            }
        }
    }

    /// The keys of the items that a complete response lists. An item is found by its id. If the id
    /// changed, it is the first item of the same type that is not in the list by its id. The list
    /// may lack items that events had.
    fn listed_keys(&mut self, listed: &[Object<OutputItem<'_>>]) -> Vec<usize> {
        let by_id = |item: &Object<OutputItem<'_>>| {
            let id = item.0.as_ref().map_or("", OutputItem::own_id);
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
        for (key, state) in
            self.items.iter().enumerate().filter(|(key, _)| is_free.get(*key) == Some(&true))
        {
            free.entry(&state.kind).or_default().push_back(key);
        }
        for (key, item) in keys.iter_mut().zip(listed).filter(|(key, _)| key.is_none()) {
            let kind = item.0.as_ref().map_or("", |item| &*item.kind.0);
            // An item that only deltas named has no type.
            *key = [kind, ""].iter().find_map(|kind| free.get_mut(kind)?.pop_front());
        }
        keys.into_iter().map(|key| key.unwrap_or_else(|| self.new_item(None))).collect()
    }

    /// Stores why the reply ended.
    fn set_finish(&mut self, response: &Response<'_>, status: &str) {
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
        self.assembler.set_finish(word, reason);
    }

    /// The key of the item of an event, by its index or its id, which may both be missing.
    fn event_key(&mut self, event: &ResponsesEvent<'_>) -> usize {
        let index = event.output_index.0;
        let by_id = event.item_id.get().and_then(|id| self.by_id.get(id)).copied();
        let found = by_id.or_else(|| match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.items.len().checked_sub(1),
        });
        found.unwrap_or_else(|| self.new_item(index))
    }

    fn new_item(&mut self, index: Option<u64>) -> usize {
        let key = self.items.len();
        self.items.push(ItemState::default());
        if let Some(index) = index {
            self.by_index.insert(index, key);
        }
        key
    }

    /// The key of an item in an event: the item with the same id, or the item with the same index
    /// if it can be the same, or a new item.
    fn item_key(&mut self, index: Option<u64>, item: &OutputItem<'_>, is_done: bool) -> usize {
        if let Some(key) = self.by_id.get(item.own_id()) {
            return *key;
        }
        let found = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.items.len().checked_sub(1),
        };
        let known = found.and_then(|key| Some((key, self.items.get(key)?)));
        match known {
            // Its id changed, or only deltas named it.
            Some((key, state))
                if !state.is_done
                    && (state.kind.is_empty() || (is_done && state.kind == item.kind.0)) =>
            {
                key
            }
            _ => self.new_item(index),
        }
    }

    /// Marks a part as reported if `text` is not empty. Returns whether the part was new.
    fn mark_reported(&mut self, key: usize, part: u64, text: &str) -> bool {
        match self.items.get_mut(key) {
            Some(state) if !text.is_empty() => state.reported_parts.insert(part),
            _ => false,
        }
    }

    /// Reports the text of a part of an item, unless the part is already reported.
    fn report_part(&mut self, key: usize, part: u64, text: &str, report: fn(&mut Assembler, &str)) {
        if self.mark_reported(key, part, text) {
            report(&mut self.assembler, text);
        }
    }

    /// Stores the type and the ids of an item.
    fn set_identity(&mut self, key: usize, item: &OutputItem<'_>) {
        if let Some(state) = self.items.get_mut(key) {
            item.kind.0.as_ref().clone_into(&mut state.kind);
        }
        for id in [item.own_id(), &*item.id.0].into_iter().filter(|id| !id.is_empty()) {
            self.by_id.insert(id.to_owned(), key);
        }
    }

    /// Reports text of a reasoning part. Blank lines separate the parts. An item is reported in the
    /// form that arrives first, its summary or its text.
    fn add_reasoning(&mut self, form: ReasoningForm, part: ReasoningPartKey, text: &str) {
        let Some(state) = self.items.get_mut(part.0) else { return };
        if text.is_empty() || *state.reasoning_form.get_or_insert(form) != form {
            return;
        }
        state.reported_reasoning.insert(part.1);
        let before = self.last_reasoning.replace(part);
        if before.is_some_and(|before| before != part) {
            self.assembler.add_reasoning("\n\n");
        }
        self.assembler.add_reasoning(text);
    }

    /// Reports a complete reasoning part, unless it is already reported.
    fn report_reasoning_part(&mut self, form: ReasoningForm, part: ReasoningPartKey, text: &str) {
        if self
            .items
            .get_mut(part.0)
            .is_some_and(|state| !state.reported_reasoning.contains(&part.1))
        {
            self.add_reasoning(form, part, text);
        }
    }

    /// Reads an item that begins. It may already have text, which counts if no other text arrives.
    fn add_item(&mut self, index: Option<u64>, json: &RawValue) -> Result<()> {
        let item: Object<OutputItem<'_>> = WireError::read_json(json.get())?;
        let Some(item) = item.0 else { return Ok(()) };
        let key = self.item_key(index, &item, false);
        self.set_identity(key, &item);
        if let Some(piece) = item.call() {
            self.assembler.add_to_indexed_call(key as u64, CallPiece { arguments: "", ..piece });
        }
        if let Some(state) =
            self.items.get_mut(key).filter(|state| !state.is_done && item.has_text())
        {
            state.added = Some(json.to_owned());
        }
        if item.kind.get() == Some("message") {
            self.assembler.begin_phase(&item.phase.0);
        }
        Ok(())
    }

    /// Reads a finished item.
    fn end_item(&mut self, index: Option<u64>, json: &RawValue) -> Result<()> {
        let item: Object<OutputItem<'_>> = WireError::read_json(json.get())?;
        let key = match &item.0 {
            Some(item) => self.item_key(index, item, true),
            None => self.new_item(index),
        };
        self.finish_item(key, item.0.as_ref(), json.get());
        Ok(())
    }

    /// Reads a complete part of an item, and reports it if nothing of it was reported.
    fn read_complete_part(&mut self, key: usize, index: u64, json: &RawValue) -> Result<()> {
        let part: Object<ItemPart<'_>> = WireError::read_json(json.get())?;
        match part.0 {
            Some(part) if part.kind.get() == Some("reasoning_text") => {
                self.report_reasoning_part(ReasoningForm::Text, (key, index), &part.text.0);
            }
            Some(part) if !part.has_no_text() => self.report_message_part(key, index, &part),
            // Items of other kinds are reported as a whole.
            _ if self.may_be_message(key) => self.report_unread_part(key, index, json.get()),
            _ => {}
        }
        Ok(())
    }

    /// Whether an item is a message, or only its parts have arrived.
    fn may_be_message(&self, key: usize) -> bool {
        self.items.get(key).is_some_and(|state| matches!(&*state.kind, "" | "message"))
    }

    /// Reports the parts of a message in which no text was found.
    fn report_unread_parts(&mut self, key: usize, json: &str) {
        let parts = serde_json::from_str::<WrittenParts<'_>>(json).ok();
        let Some(content) = parts.and_then(|parts| parts.content) else { return };
        match serde_json::from_str::<Vec<&RawValue>>(content.get()) {
            Ok(parts) => {
                for (index, part) in (0..).zip(parts) {
                    self.report_unread_part(key, index, part.get());
                }
            }
            // It is not an array.
            Err(_) => self.report_unread_part(key, 0, content.get()),
        }
    }

    /// Reports a part of a message as it is, unless it is known and has no text.
    fn report_unread_part(&mut self, key: usize, index: u64, json: &str) {
        let part = serde_json::from_str::<Object<WrittenPart<'_>>>(json).ok().and_then(|it| it.0);
        let is_empty = is_empty_json(json) || part.is_some_and(|part| part.is_empty());
        if !is_empty && self.mark_reported(key, index, json) {
            self.assembler.add_other(json);
        }
    }

    /// Reports the text that items had when they were added, if no other text arrived.
    fn report_added(&mut self) {
        for key in 0..self.items.len() {
            self.report_added_item(key);
        }
    }

    /// Reports the text that an item had when it was added.
    fn report_added_item(&mut self, key: usize) {
        let Some(json) = self.items.get_mut(key).and_then(|state| state.added.take()) else {
            return;
        };
        let Ok(Object(Some(item))) = serde_json::from_str::<Object<OutputItem<'_>>>(json.get())
        else {
            return;
        };
        match item.call() {
            Some(piece) => self.add_open_call(key as u64, piece),
            None => self.report_texts(key, &item),
        }
    }

    /// Finishes an item. `json` is its JSON, if that is kept.
    fn finish_item(&mut self, key: usize, item: Option<&OutputItem<'_>>, json: &str) {
        let was_done =
            self.items.get_mut(key).map(|state| std::mem::replace(&mut state.is_done, true));
        if was_done != Some(false) {
            return;
        }
        let Some(item) = item else { return self.assembler.add_other(json) };
        self.set_identity(key, item);
        let Some(piece) = item.call() else {
            self.report_texts(key, item);
            if item.has_unread_part() {
                self.report_unread_parts(key, json);
            }
            // Text that is missing here was complete when the item was added.
            if !item.has_text() {
                self.report_added_item(key);
            }
            if item.is_kept() {
                self.assembler.add_other(json);
            }
            return self.forget_added(key);
        };
        let index = key as u64;
        if piece.arguments.is_empty() {
            self.report_added_item(key);
        }
        match item.status.get() {
            Some("incomplete" | "in_progress") => self.add_open_call(index, piece),
            _ => self.assembler.end_indexed_call(index, piece),
        }
        self.forget_added(key);
    }

    fn forget_added(&mut self, key: usize) {
        if let Some(state) = self.items.get_mut(key) {
            state.added = None;
        }
    }

    /// Adds a call that may be unfinished, with its arguments if none arrived before.
    fn add_open_call(&mut self, index: u64, piece: CallPiece<'_>) {
        let has_arguments = self.assembler.has_arguments(index);
        let arguments = if has_arguments { "" } else { piece.arguments };
        self.assembler.add_to_indexed_call(index, CallPiece { arguments, ..piece });
    }

    /// Reports the texts of an item that are not reported yet.
    fn report_texts(&mut self, key: usize, item: &OutputItem<'_>) {
        match item.kind.get() {
            Some("reasoning") => self.report_reasoning(key, item),
            Some("message") => self.report_message(key, item),
            _ => {}
        }
    }

    /// Reports the parts of a message that are not reported yet.
    fn report_message(&mut self, key: usize, item: &OutputItem<'_>) {
        for (index, part) in (0..).zip(item.content.iter()) {
            if self.items.get_mut(key).is_none_or(|state| state.reported_parts.contains(&index)) {
                continue;
            }
            self.assembler.begin_phase(&item.phase.0);
            self.report_message_part(key, index, part);
        }
    }

    /// Reports a part of a message, unless it is already reported.
    fn report_message_part(&mut self, key: usize, index: u64, part: &ItemPart<'_>) {
        match part.kind.get() {
            Some("refusal") => {
                self.report_part(key, index, &part.refusal.0, Assembler::add_refusal);
            }
            _ => self.report_part(key, index, &part.text.0, Assembler::add_content),
        }
    }

    /// Reports reasoning, unless any of it is already reported.
    fn report_reasoning(&mut self, key: usize, item: &OutputItem<'_>) {
        if self.items.get_mut(key).is_none_or(|state| state.reasoning_form.is_some()) {
            return;
        }
        for (form, parts) in
            [(ReasoningForm::Summary, &item.summary), (ReasoningForm::Text, &item.content)]
        {
            for (part, text) in (0..).zip(parts.iter()) {
                self.add_reasoning(form, (key, part), &text.text.0);
            }
        }
    }
}
