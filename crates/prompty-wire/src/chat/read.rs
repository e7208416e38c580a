//! Reads chat completions, complete or in chunks. The message of a complete answer is read like the
//! delta of a chunk. `Strict`, `Text` and the other types of fields, which say when an unexpected
//! type is an error, are explained at the head of `fields`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::SeqAccess;
use serde_json::value::RawValue;

use super::delayed_parts::{DelayedCall, DelayedParts};
use super::{CALL_FIELDS, PROTOCOL};
use crate::answer_reader::ITEMS_OF_CHOICE;
use crate::assembler::{Assembler, CallPiece};
use crate::error::{ProviderError, Result, WireError, is_error};
use crate::fields::{
    Count, Field, JsonText, JsonType, List, Object, Strict, StrictField, Text, is_empty_json,
    json_objects,
};
use crate::items::Items;
use crate::protocol_reader::{AfterEvent, ProtocolReader};
use crate::repeated_texts::{RepeatedTexts, new_part};
use crate::usage::BodyUsage;
use crate::value_budget::ValueBudget;
use prompty_reply::{FinishReason, Reply};

/// Reads an answer, in one body or in chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChatReader {
    /// The choice that becomes the reply, and its index if it is known.
    first: ChoiceReader,
    first_index: Option<u64>,
    others: BTreeMap<u64, ChoiceReader>,
    /// The number of items that need memory of their own.
    item_count: usize,
    offered: Option<Arc<BTreeSet<String>>>,
}

#[derive(Debug, Clone, Default)]
struct ChoiceReader {
    assembler: Assembler,
    /// The provider's own form of the reasoning, which it may want back: JSON values with commas
    /// between them.
    reasoning_details: String,
    /// Whether any delta had content, and whether any part was audio or an image.
    has_deltas: bool,
    has_media: bool,
    /// The reported text that the current complete message repeats.
    repeated: Option<Box<RepeatedTexts>>,
    /// The calls and media of complete messages, which are reported at the end.
    delayed: Option<Box<DelayedParts>>,
    /// Whether it has `tool_calls`. Some servers repeat them as the older `function_call`.
    has_tool_calls: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GroqExtension {
    usage: Object<Box<BodyUsage>>,
}

json_objects! {
    struct AnswerBody<'j> {
        id: Text<'j>,
        model: Text<'j>,
        choices: Strict<Items<'j, Strict<Object<AnswerChoice<'j>>>>>,
        // Fields that most chunks do not have are boxed, because chunks are moved while they are
        // read.
        usage: Object<Box<BodyUsage>>,
        error: Option<&'j RawValue>,
        /// The fields of errors without an `error` field.
        object: Text<'j>,
        message: Text<'j>,
        detail: Option<&'j RawValue>,
        /// Groq puts the usage of streams here.
        x_groq: Object<GroqExtension>,
    }

    struct AnswerChoice<'j> {
        index: Count,
        delta: Strict<Object<Box<AnswerDelta<'j>>>>,
        message: Strict<Object<Box<AnswerDelta<'j>>>>,
        /// The text of the older completions, which have no message.
        text: Strict<Text<'j>>,
        error: Option<&'j RawValue>,
        finish_reason: Text<'j>,
        /// Some providers put the usage here.
        usage: Object<Box<BodyUsage>>,
    }

    struct AnswerDelta<'j> {
        content: Strict<AnswerContent<'j>>,
        // The same text may be in two of these fields.
        reasoning_content: Strict<Text<'j>>,
        reasoning: Strict<Text<'j>>,
        reasoning_text: Strict<Text<'j>>,
        reasoning_details: Strict<JsonItems>,
        refusal: Strict<Text<'j>>,
        tool_calls: Strict<Items<'j, Strict<Object<AnswerCall<'j>>>>>,
        function_call: Strict<Object<Box<AnswerFunction<'j>>>>,
        audio: Option<&'j RawValue>,
        images: Option<&'j RawValue>,
    }

    struct AnswerCall<'j> {
        index: Count,
        id: Text<'j>,
        function: Strict<Object<AnswerFunction<'j>>>,
        custom: Strict<Object<Box<AnswerCustomCall<'j>>>>,
        extra_content: Option<&'j RawValue>,
        provider_specific_fields: Option<&'j RawValue>,
    }

    struct AnswerFunction<'j> {
        name: Strict<Text<'j>>,
        arguments: JsonText<'j>,
    }

    struct AnswerCustomCall<'j> {
        name: Strict<Text<'j>>,
        input: Strict<Text<'j>>,
    }

    struct AnswerPart<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Strict<Text<'j>>,
        refusal: Strict<Text<'j>>,
        thinking: Strict<AnswerContent<'j>>,
    }
}

/// Content: a string, or an array of parts.
#[derive(Default)]
enum AnswerContent<'j> {
    #[default]
    None,
    Text(Cow<'j, str>),
    List(Vec<&'j RawValue>),
}

impl<'de: 'j, 'j> Field<'de> for AnswerContent<'j> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let parts: List<&'j RawValue> = List::from_list(list)?;
        Ok(Self::List(parts.0))
    }
}

impl<'de: 'j, 'j> StrictField<'de> for AnswerContent<'j> {
    const TYPE: JsonType = JsonType::TextOrList;
}

/// The JSON of the items of an array, with commas between them; empty if it is missing.
#[derive(Default)]
struct JsonItems(String);

impl<'de> Field<'de> for JsonItems {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Self::default();
        while let Some(item) = list.next_element::<&'de RawValue>()? {
            add_items(&mut items.0, item.get());
        }
        Ok(items)
    }
}

impl StrictField<'_> for JsonItems {
    const TYPE: JsonType = JsonType::List;
}

/// Appends the items of an array to those of another.
fn add_items(items: &mut String, more: &str) {
    if !items.is_empty() && !more.is_empty() {
        items.push(',');
    }
    items.push_str(more);
}

impl ProtocolReader for ChatReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { first: ChoiceReader::new(offered.clone()), offered, ..Self::default() }
    }

    /// Reads a chunk. Only `[DONE]` ends the answer.
    fn read(&mut self, json: &str) -> Result<AfterEvent> {
        self.read_body(json, false)
    }

    fn read_complete(&mut self, json: &str) -> Result<AfterEvent> {
        self.read_body(json, true)
    }

    /// The assembler of the first choice.
    fn assembler(&self) -> &Assembler {
        &self.first.assembler
    }

    fn assembler_mut(&mut self) -> &mut Assembler {
        &mut self.first.assembler
    }

    fn item_count(&self) -> usize {
        self.item_count
    }

    /// Whether the provider said why the reply ended.
    fn is_finished(&self) -> bool {
        let mut choices = std::iter::once(&self.first).chain(self.others.values());
        choices.all(|it| it.assembler.is_finished())
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.first.end();
        for other in self.others.values_mut() {
            other.with_values_of(&mut self.first.assembler.values, ChoiceReader::end);
        }
    }

    fn take_reply(&mut self) -> Reply {
        let mut first = std::mem::take(&mut self.first.assembler);
        for other in std::mem::take(&mut self.others).into_values() {
            first.add_alternative(other.assembler);
        }
        first.into_reply()
    }
}

impl ChatReader {
    /// Reads a chunk, or a complete answer.
    fn read_body(&mut self, json: &str, is_complete: bool) -> Result<AfterEvent> {
        let body: AnswerBody<'_> = WireError::read_object(json)?;
        if let Some(error) = body.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        let has_error_text = body.message.get().is_some() || body.detail.is_some();
        let choices = body.choices.value;
        if body.object.get() == Some("error") || (choices.is_empty() && has_error_text) {
            return Err(ProviderError::from_json(json).into());
        }
        // Proxies send other objects to keep a connection open.
        let is_known = !choices.is_empty()
            || body.usage.0.is_some()
            || body.id.get().is_some()
            || body.object.get().is_some_and(|object| object.contains("completion"));
        self.first.assembler.set_identity(body.id.get(), body.model.get());
        // The choices are checked before any is reported, because an unreadable chunk may be read
        // again in another form. The lowest index of the first chunk with choices is the reply's.
        let mut lowest = None;
        choices.check(|choice| {
            let index = choice.0.as_ref().map(|choice| choice.index.0.unwrap_or(0));
            lowest = lowest.into_iter().chain(index).min();
            choice.0.as_ref().map_or(Ok(()), AnswerChoice::check_calls)
        })?;
        self.first_index = self.first_index.or(lowest);
        choices.try_for_each(|choice| match choice.value.0 {
            Some(choice) => self.read_choice(choice, is_complete),
            None => Ok(()),
        })?;
        let groq = body.x_groq.0.and_then(|it| it.usage.0);
        for usage in body.usage.0.into_iter().chain(groq) {
            self.first.assembler.add_usage(usage.usage());
        }
        Ok(if is_known { AfterEvent::More } else { AfterEvent::Unknown })
    }

    /// Reads a choice of a chunk or of a complete answer.
    fn read_choice(&mut self, mut choice: AnswerChoice<'_>, is_complete: bool) -> Result<()> {
        if let Some(usage) = choice.usage.0.take() {
            self.first.assembler.add_usage(usage.usage());
        }
        let error = choice.error.filter(|error| is_error(error.get()));
        let mut values = self.first.assembler.values;
        let reader = self.choice_mut(choice.index.0.unwrap_or(0));
        let before = reader.item_count();
        let read = reader.with_values_of(&mut values, |reader| reader.read(choice, is_complete));
        let after = reader.item_count();
        self.item_count = self.item_count.saturating_sub(before).saturating_add(after);
        self.first.assembler.values = values;
        match error {
            Some(error) if read.is_ok() => Err(ProviderError::from_json(error.get()).into()),
            _ => read,
        }
    }

    /// The reader of the choice with an index.
    fn choice_mut(&mut self, index: u64) -> &mut ChoiceReader {
        if self.first_index == Some(index) {
            return &mut self.first;
        }
        self.others.entry(index).or_insert_with(|| {
            self.item_count += ITEMS_OF_CHOICE;
            let mut other = ChoiceReader::new(self.offered.clone());
            other.assembler.recorder.discard_events();
            other
        })
    }
}

impl ChoiceReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::new(PROTOCOL, CALL_FIELDS, offered), ..Self::default() }
    }

    /// The number of items that need memory of their own.
    fn item_count(&self) -> usize {
        let delayed = self.delayed.as_ref().map_or(0, |delayed| delayed.calls.len());
        self.assembler.item_count() + delayed
    }

    /// Calls a function with the budget that all choices share.
    fn with_values_of<T>(
        &mut self,
        values: &mut ValueBudget,
        function: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.assembler.values = *values;
        let result = function(self);
        *values = self.assembler.values;
        result
    }

    /// Reads a choice of a chunk or of a complete answer.
    fn read(&mut self, choice: AnswerChoice<'_>, is_complete: bool) -> Result<()> {
        if choice.delta.0.is_none() && choice.message.0.is_none() {
            self.assembler.add_content(&choice.text.0);
        }
        if let Some(delta) = choice.delta.value.0 {
            let before = self.content_counts();
            self.read_delta(delta, false)?;
            self.has_deltas |= self.content_counts() != before;
        }
        if let Some(message) = choice.message.value.0 {
            match is_complete {
                true => self.read_delta(message, true)?,
                false => self.read_message(message)?,
            }
        }
        if let Some(word) = choice.finish_reason.get() {
            self.report_delayed();
            self.assembler.set_finish(word.to_owned(), finish_reason(word));
        }
        Ok(())
    }

    /// Counts of the content so far. If they change, a delta had content.
    fn content_counts(&self) -> (usize, bool, usize) {
        let assembler = &self.assembler;
        (assembler.recorder.event_count(), assembler.has_calls(), self.reasoning_details.len())
    }

    /// Reads a complete message in a stream. It repeats the content so far and adds to it.
    fn read_message(&mut self, mut message: Box<AnswerDelta<'_>>) -> Result<()> {
        self.delay_parts(&mut message)?;
        // The details of a message replace those of earlier messages, but not those of deltas.
        match message.reasoning_details.0.is_empty() || self.has_deltas {
            true if self.reasoning_details.is_empty() => {}
            true => message.reasoning_details.value.0.clear(),
            false => self.reasoning_details.clear(),
        }
        self.repeated = Some(Box::new(RepeatedTexts::new(self.assembler.reply())));
        let read = self.read_delta(message, false);
        self.repeated = None;
        read
    }

    /// Removes calls and media from a message, to report them at the end.
    fn delay_parts(&mut self, message: &mut AnswerDelta<'_>) -> Result<()> {
        let calls = std::mem::take(&mut message.tool_calls).value;
        let function = std::mem::take(&mut message.function_call).value.0;
        let media = [&mut message.audio, &mut message.images].map(Option::take);
        if calls.is_empty() && function.is_none() && media.iter().all(Option::is_none) {
            return Ok(());
        }
        let delayed = self.delayed.get_or_insert_default();
        delayed.begin_message();
        if let Some(function) = function.filter(|_| calls.is_empty()) {
            delayed.add_call(0, DelayedCall::new(&function.piece()));
        }
        let mut indices = 0..;
        calls.try_for_each(|call| {
            let Some(call) = call.value.0 else { return Ok(()) };
            let index = indices.next().unwrap_or_default();
            if let Some(piece) = call.piece() {
                delayed.add_call(index, DelayedCall::new(&piece));
            }
            Ok(())
        })?;
        for (own, new) in [&mut delayed.audio, &mut delayed.images].into_iter().zip(media) {
            *own = new.map(ToOwned::to_owned).or(own.take());
        }
        Ok(())
    }

    /// Reports the calls and media of complete messages, unless deltas had them.
    fn report_delayed(&mut self) {
        let Some(delayed) = self.delayed.take() else { return };
        if !self.assembler.has_calls() {
            for call in &delayed.calls {
                self.assembler.add_complete_call(call.piece());
            }
        }
        if !self.has_media {
            self.add_media("audio", delayed.audio.as_deref());
            self.add_media("images", delayed.images.as_deref());
        }
    }

    /// Reports audio or images, which only the provider understands.
    fn add_media(&mut self, name: &str, field: Option<&RawValue>) {
        if let Some(field) = field.filter(|field| !is_empty_json(field.get())) {
            self.has_media = true;
            let json = format!(r#"{{"type":"{name}","{name}":{}}}"#, field.get());
            self.assembler.add_other(&json);
        }
    }

    /// Adds content. Of a repeated message, only the new part is added.
    fn add_content(&mut self, text: Cow<'_, str>) {
        let Some(repeated) = &mut self.repeated else { return self.assembler.move_content(text) };
        let (left, reply) = (&mut repeated.content, self.assembler.reply());
        let text = new_part(reply.content(), left, &text, self.has_deltas);
        self.assembler.add_content(text);
    }

    fn add_reasoning(&mut self, text: &str) {
        let Some(repeated) = &mut self.repeated else { return self.assembler.add_reasoning(text) };
        let (left, reply) = (&mut repeated.reasoning, self.assembler.reply());
        let text = new_part(reply.reasoning(), left, text, self.has_deltas);
        self.assembler.add_reasoning(text);
    }

    fn add_refusal(&mut self, text: &str) {
        let Some(repeated) = &mut self.repeated else { return self.assembler.add_refusal(text) };
        let (left, reply) = (&mut repeated.refusal, self.assembler.reply());
        let text = new_part(reply.refusal().unwrap_or_default(), left, text, self.has_deltas);
        self.assembler.add_refusal(text);
    }

    /// Reads a delta, or a complete message, whose calls are complete. It is boxed, because it is
    /// large and moved.
    fn read_delta(&mut self, delta: Box<AnswerDelta<'_>>, is_complete: bool) -> Result<()> {
        let names = [&delta.reasoning_content, &delta.reasoning, &delta.reasoning_text];
        if let Some(reasoning) = names.into_iter().find_map(|text| text.get()) {
            self.add_reasoning(reasoning);
        }
        add_items(&mut self.reasoning_details, &delta.reasoning_details.0);
        match delta.content.value {
            AnswerContent::None => {}
            AnswerContent::Text(text) => self.add_content(text),
            AnswerContent::List(parts) => {
                parts.iter().try_for_each(|part| self.read_part(part.get()))?;
            }
        }
        if let Some(refusal) = delta.refusal.get() {
            self.add_refusal(refusal);
        }
        self.has_tool_calls |= !delta.tool_calls.is_empty();
        let mut is_first = true;
        delta.tool_calls.value.try_for_each(|call| {
            let Some(call) = call.value.0 else { return Ok(()) };
            // Some servers write several complete calls without indices in one delta. Of these,
            // only the first may belong to an earlier call.
            let mut is_known =
                || call.id.get().is_some_and(|id| self.assembler.find_call(id).is_some());
            let is_complete = is_complete || (!is_first && call.index.0.is_none() && !is_known());
            is_first = false;
            self.add_call(&call, is_complete);
            Ok(())
        })?;
        if let Some(function) = delta.function_call.0.as_ref().filter(|_| !self.has_tool_calls) {
            self.assembler.add_call_piece(None, function.piece());
        }
        self.add_media("audio", delta.audio);
        self.add_media("images", delta.images);
        Ok(())
    }

    /// Reads a part of content: a string, a text, reasoning, or a part that only the provider
    /// understands.
    fn read_part(&mut self, json: &str) -> Result<()> {
        let part = match json.as_bytes().first() {
            Some(b'"') => {
                self.add_content(WireError::read_json::<Text<'_>>(json)?.0);
                return Ok(());
            }
            _ => WireError::read_json::<Object<AnswerPart<'_>>>(json)?,
        };
        let Some(part) = part.0 else {
            if !is_empty_json(json) {
                self.assembler.add_other(json);
            }
            return Ok(());
        };
        match (part.kind.get(), &*part.thinking) {
            (_, AnswerContent::Text(text)) => self.add_reasoning(text),
            (_, AnswerContent::List(parts)) => {
                parts.iter().try_for_each(|part| self.read_reasoning_part(part.get()))?;
            }
            (Some("thinking" | "reasoning"), AnswerContent::None) => {
                self.add_reasoning(&part.text.0);
            }
            (Some("refusal"), AnswerContent::None) => self.add_refusal(&part.refusal.0),
            (Some("text" | "output_text"), AnswerContent::None) => {
                self.add_content(part.text.value.0);
            }
            (_, AnswerContent::None) if !part.text.0.is_empty() => {
                self.add_content(part.text.value.0);
            }
            (_, AnswerContent::None) if is_empty_json(json) => {}
            (_, AnswerContent::None) => self.assembler.add_other(json),
        }
        Ok(())
    }

    /// Reads a part of reasoning: a string, or an object with text.
    fn read_reasoning_part(&mut self, json: &str) -> Result<()> {
        let text = match json.as_bytes().first() {
            Some(b'"') => WireError::read_json::<Text<'_>>(json)?,
            _ => match WireError::read_json::<Object<AnswerPart<'_>>>(json)?.0 {
                Some(part) => part.text.value,
                None => return Ok(()),
            },
        };
        self.add_reasoning(&text.0);
        Ok(())
    }

    /// Adds a call or a piece of one. `is_complete` says that no other pieces of it follow.
    fn add_call(&mut self, call: &AnswerCall<'_>, is_complete: bool) {
        let Some(piece) = call.piece() else { return };
        let is_empty = piece.name.is_none() && piece.arguments.is_empty();
        if is_complete && is_empty {
            return;
        }
        match is_complete && piece.name.is_some() {
            true => self.assembler.add_complete_call(piece),
            false => self.assembler.add_call_piece(call.index.0, piece),
        }
    }

    fn end(&mut self) {
        self.report_delayed();
        if !self.reasoning_details.is_empty() {
            let details = std::mem::take(&mut self.reasoning_details);
            let json = format!(r#"{{"type":"reasoning_details","reasoning_details":[{details}]}}"#);
            self.assembler.add_other(&json);
        }
        self.assembler.end();
    }
}

impl AnswerChoice<'_> {
    /// # Errors
    ///
    /// Returns an error if a call cannot be read.
    fn check_calls(&self) -> Result<()> {
        let mut deltas = [&self.delta, &self.message].into_iter().filter_map(|it| it.0.as_ref());
        deltas.try_for_each(|delta| delta.tool_calls.check(|_| Ok(())))
    }
}

impl AnswerCall<'_> {
    fn piece(&self) -> Option<CallPiece<'_>> {
        let id = self.id.get();
        let fields = [self.extra_content, self.provider_specific_fields];
        match (&self.custom.0, &self.function.0) {
            (Some(custom), _) => {
                let (name, arguments) = (custom.name.get(), &*custom.input.0);
                Some(CallPiece { id, name, arguments, free_text: true, fields })
            }
            (None, Some(function)) => Some(CallPiece { id, fields, ..function.piece() }),
            // The id may come first.
            (None, None) => id.map(|id| CallPiece { id: Some(id), fields, ..CallPiece::default() }),
        }
    }
}

impl AnswerFunction<'_> {
    fn piece(&self) -> CallPiece<'_> {
        let (name, arguments) = (self.name.get(), &*self.arguments.0);
        CallPiece { name, arguments, ..CallPiece::default() }
    }
}

fn finish_reason(word: &str) -> FinishReason {
    match word {
        "stop" | "eos" | "eos_token" | "end_turn" => FinishReason::End,
        "stop_sequence" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
            FinishReason::Length
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" | "sensitive" => FinishReason::Filtered,
        "refusal" => FinishReason::Refused,
        "cancelled" | "canceled" | "abort" | "aborted" => FinishReason::Cancelled,
        _ => FinishReason::Other,
    }
}
