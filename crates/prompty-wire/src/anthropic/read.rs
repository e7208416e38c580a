//! Reads messages of Anthropic's protocol, complete or as events. A block of a complete message is
//! read as a block that starts and stops. `Strict`, `Text` and the other types of fields, which say
//! when an unexpected type is an error, are explained at the head of `fields`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prompty_core::value::internal::json::{escape_text, to_string};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;
use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{Assembler, CallPiece};
use crate::error::{ProviderError, Result, WireError, is_error};
use crate::fields::{
    Count, EXACT, List, Object, Strict, Text, TextOr, compact, is_empty_json, json_objects,
};
use crate::protocol_reader::{AfterEvent, ProtocolReader};
use crate::repeated_texts::{RepeatedTexts, new_part};
use crate::usage::BodyUsage;
use crate::value_budget::ValueBudget;
use prompty_reply::FinishReason;

/// The type of a call's block.
const CALL: &str = "tool_use";

/// Reads an answer, in one body or in events.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnthropicReader {
    assembler: Assembler,
    /// The started blocks that have not stopped, by their index.
    open: BTreeMap<u64, OpenBlock>,
    /// The index of the block that started last, because gateways omit indices.
    newest: Option<u64>,
    /// Whether the message has started, because gateways start it again.
    has_started: bool,
    /// The types of the first `known_others` parts that only the provider understands.
    kinds: BTreeSet<String>,
    known_others: usize,
}

#[derive(Debug, Clone)]
enum OpenBlock {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        /// The input at its start, which counts if no deltas follow.
        input: String,
    },
    /// A block that only the provider understands, with its growing texts.
    Other {
        map: Map,
        texts: BTreeMap<String, String>,
    },
}

json_objects! {
    /// An event, or a complete message.
    struct AnthropicEvent<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        index: Count,
        // In an error it is a string.
        message: Option<&'j RawValue>,
        content_block: Option<&'j RawValue>,
        delta: Option<&'j RawValue>,
        usage: Object<BodyUsage>,
        error: Option<&'j RawValue>,
    }

    struct AnswerMessage<'j> {
        id: Text<'j>,
        model: Text<'j>,
        // Some gateways write a string instead of an array with one block.
        content: Strict<TextOr<'j, List<&'j RawValue>>>,
        stop_reason: Text<'j>,
        stop_sequence: Text<'j>,
        usage: Object<BodyUsage>,
    }

    struct AnswerBlock<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Strict<Text<'j>>,
        thinking: Strict<Text<'j>>,
        signature: Strict<Text<'j>>,
        id: Text<'j>,
        name: Text<'j>,
        input: Option<&'j RawValue>,
        caller: Option<&'j RawValue>,
    }

    struct BlockDelta<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Strict<Text<'j>>,
        thinking: Strict<Text<'j>>,
        signature: Strict<Text<'j>>,
        partial_json: Strict<Text<'j>>,
        stop_reason: Text<'j>,
        stop_sequence: Text<'j>,
    }
}

impl ProtocolReader for AnthropicReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::new(PROTOCOL, CALL_FIELDS, offered), ..Self::default() }
    }

    /// Reads an event, or a complete message.
    fn read(&mut self, json: &str) -> Result<AfterEvent> {
        let event: AnthropicEvent<'_> = WireError::read_object(json)?;
        if let Some(error) = event.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        let has_content = event.delta.is_some() || event.content_block.is_some();
        match event.kind.get() {
            None if has_content => return Err(WireError::unknown_content(json)),
            None | Some("message") => {
                let message: AnswerMessage<'_> = WireError::read_json(json)?;
                let is_empty = match &*message.content {
                    TextOr::Text(text) => text.get().is_none(),
                    TextOr::Other(blocks) => blocks.0.is_empty(),
                };
                // Proxies send other objects to keep a connection open.
                if is_empty && message.stop_reason.get().is_none() {
                    return Ok(AfterEvent::Unknown);
                }
                self.read_message(&message)?;
            }
            Some("message_start") => {
                let has_started = std::mem::replace(&mut self.has_started, true);
                let message = event.message.map_or("null", RawValue::get);
                let message: Strict<Object<AnswerMessage<'_>>> = WireError::read_json(message)?;
                if let Some(message) = &message.0 {
                    match has_started {
                        true => self.add_usage(&message.usage),
                        false => self.read_message(message)?,
                    }
                }
            }
            Some("content_block_start") => {
                if let Some(json) = event.content_block {
                    let block = WireError::read_json(json.get())?;
                    let next = self.newest.map_or(0, |newest| newest.saturating_add(1));
                    let index = event.index.0.unwrap_or(next);
                    self.start_block(index, json.get(), block);
                }
            }
            Some("content_block_delta") => {
                if let Some(delta) = event.delta {
                    let index = event.index.0.or(self.newest).unwrap_or_default();
                    self.read_delta(index, delta.get())?;
                }
            }
            Some("content_block_stop") => {
                self.stop_block(event.index.0.or(self.newest).unwrap_or_default());
            }
            Some("message_delta") => {
                if let Some(delta) = event.delta {
                    let delta: BlockDelta<'_> = WireError::read_json(delta.get())?;
                    self.set_finish(&delta.stop_reason, &delta.stop_sequence);
                }
                self.add_usage(&event.usage);
            }
            Some("message_stop") => {
                if !self.assembler.is_finished() {
                    self.assembler.set_finish("message_stop".to_owned(), FinishReason::Other);
                }
                return Ok(AfterEvent::End);
            }
            Some("ping") => {}
            // The error message is in a field next to the type.
            Some("error") => return Err(ProviderError::from_json(json).into()),
            // An event that is newer than this library, and has content.
            Some(_) if has_content => {
                return Err(WireError::unknown_content(json));
            }
            // Another event that is newer than this library.
            Some(_) => return Ok(AfterEvent::Unknown),
        }
        Ok(AfterEvent::More)
    }

    fn assembler(&self) -> &Assembler {
        &self.assembler
    }

    fn assembler_mut(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    fn item_count(&self) -> usize {
        self.assembler.item_count() + self.open.len()
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.stop_all_blocks();
        self.assembler.end();
    }
}

impl AnthropicReader {
    /// Reads a complete message, or its start.
    fn read_message(&mut self, message: &AnswerMessage<'_>) -> Result<()> {
        self.assembler.set_identity(message.id.get(), message.model.get());
        let is_first = self.newest.is_none() && !self.assembler.has_reported();
        match &*message.content {
            TextOr::Text(text) if is_first => self.assembler.add_content(&text.0),
            TextOr::Other(blocks) if is_first => self.read_blocks(&blocks.0)?,
            // Gateways repeat the complete message after its deltas.
            TextOr::Text(text) => {
                self.add_repeated_text(&mut RepeatedTexts::new(self.assembler.reply()), &text.0);
            }
            TextOr::Other(blocks) => self.read_repeated_blocks(&blocks.0)?,
        }
        self.set_finish(&message.stop_reason, &message.stop_sequence);
        self.add_usage(&message.usage);
        Ok(())
    }

    /// Reads complete blocks. All are parsed before the first is reported, because unreadable JSON
    /// may be parsed again.
    fn read_blocks(&mut self, written: &[&RawValue]) -> Result<()> {
        let blocks: Result<Vec<Object<AnswerBlock<'_>>>, _> =
            written.iter().map(|json| WireError::read_json(json.get())).collect();
        for ((index, json), block) in (0..).zip(written).zip(blocks?) {
            self.start_block(index, json.get(), block);
            self.stop_block(index);
        }
        Ok(())
    }

    /// Reads complete blocks after reported events: the new parts of texts, and blocks of kinds
    /// that were not reported.
    fn read_repeated_blocks(&mut self, written: &[&RawValue]) -> Result<()> {
        if written.is_empty() {
            return Ok(());
        }
        self.stop_all_blocks();
        let reply = self.assembler.reply();
        let mut repeated = RepeatedTexts::new(reply);
        let new = reply.others().get(self.known_others..).unwrap_or_default();
        add_steps(new.len());
        self.kinds.extend(new.iter().filter_map(|it| it.kind().map(str::to_owned)));
        self.known_others = reply.others().len();
        let has_calls = self.assembler.has_calls();
        let next = self.newest.map_or(0, |newest| newest.saturating_add(1));
        for (index, json) in (next..).zip(written) {
            let block: Object<AnswerBlock<'_>> = WireError::read_json(json.get())?;
            let kind = block.0.as_ref().map_or("", |block| &*block.kind.0);
            match (kind, block.0.as_ref()) {
                ("text", Some(block)) => self.add_repeated_text(&mut repeated, &block.text.0),
                ("thinking", Some(block)) => {
                    let reply = self.assembler.reply();
                    let text = &block.thinking.0;
                    let new = new_part(reply.reasoning(), &mut repeated.reasoning, text, true);
                    self.assembler.add_reasoning(new);
                    if !self.kinds.contains(kind) && block.signature.get().is_some() {
                        self.assembler.add_other(json.get());
                    }
                }
                (CALL, _) if has_calls => {}
                _ if self.kinds.contains(kind) => {}
                _ => {
                    self.start_block(index, json.get(), block);
                    self.stop_block(index);
                }
            }
        }
        Ok(())
    }

    /// Adds the part of a text that was not reported before.
    fn add_repeated_text(&mut self, repeated: &mut RepeatedTexts, text: &str) {
        let text = new_part(self.assembler.reply().content(), &mut repeated.content, text, true);
        self.assembler.add_content(text);
    }

    fn add_usage(&mut self, usage: &Object<BodyUsage>) {
        if let Some(usage) = &usage.0 {
            self.assembler.add_usage(usage.usage());
        }
    }

    /// Stores why the reply ended, if the provider says so here.
    fn set_finish(&mut self, reason: &Text<'_>, sequence: &Text<'_>) {
        let Some(word) = reason.get() else { return };
        self.assembler.set_finish(word.to_owned(), finish_reason(word));
        if let Some(sequence) = sequence.get() {
            self.assembler.metadata_mut().stop_sequence = Some(sequence.to_owned());
        }
    }

    /// Starts a block, and reports the text in it.
    fn start_block(&mut self, index: u64, json: &str, block: Object<AnswerBlock<'_>>) {
        // A block with the same index is still open if a gateway omitted its end.
        self.stop_block(index);
        self.newest = Some(index);
        let Some(block) = block.0 else {
            if !is_empty_json(json) {
                self.assembler.add_other(json);
            }
            return;
        };
        let open = match block.kind.get() {
            Some("text") => {
                self.assembler.begin_text();
                self.assembler.add_content(&block.text.0);
                OpenBlock::Text
            }
            Some("thinking") => {
                self.assembler.add_reasoning(&block.thinking.0);
                let (text, signature) = (block.thinking.value.0, block.signature.value.0);
                OpenBlock::Thinking { text: text.into_owned(), signature: signature.into_owned() }
            }
            Some(CALL) => {
                let (id, name) = (block.id.get(), block.name.get());
                let fields = [block.caller, None];
                let started = CallPiece { id, name, fields, ..CallPiece::default() };
                self.assembler.start_indexed_call(index, started);
                let input = match compact(block.input.map_or("", RawValue::get)) {
                    input if matches!(&*input, "{}" | "null" | "\"\"") => String::new(),
                    input => input.into_owned(),
                };
                OpenBlock::Call { input }
            }
            _ if !self.assembler.values.pay(json) => return,
            _ => match Value::from_json(json) {
                Ok(Value::Object(map)) => OpenBlock::Other { map, texts: BTreeMap::new() },
                // JSON that is nested too deeply is passed on unchanged.
                _ => return self.assembler.add_other(json),
            },
        };
        self.open.insert(index, open);
    }

    /// Reads a delta of the block with an index.
    fn read_delta(&mut self, index: u64, json: &str) -> Result<()> {
        let delta: Strict<Object<BlockDelta<'_>>> = WireError::read_json(json)?;
        let Some(delta) = delta.value.0 else { return Ok(()) };
        // Gateways omit the start of a block, and the type of a delta. A block ends if a
        // delta does not belong to it. A signature belongs to the reasoning.
        let is_text = delta.text.get().is_some();
        let is_thinking = delta.thinking.get().is_some() || delta.signature.get().is_some();
        match self.open.get(&index) {
            None => self.stop_all_blocks(),
            Some(OpenBlock::Thinking { .. }) if is_text => self.stop_block(index),
            Some(OpenBlock::Text) if is_thinking => self.stop_block(index),
            Some(_) => {}
        }
        if is_thinking {
            let thinking = OpenBlock::Thinking { text: String::new(), signature: String::new() };
            self.open.entry(index).or_insert(thinking);
        }
        match (self.open.get_mut(&index), delta.kind.get()) {
            (Some(OpenBlock::Other { map, texts }), _) => {
                add_unknown_delta(map, texts, json, &delta, &mut self.assembler.values);
            }
            (Some(OpenBlock::Thinking { text, signature }), _) => {
                text.push_str(&delta.thinking.0);
                signature.push_str(&delta.signature.0);
                self.assembler.add_reasoning(&delta.thinking.0);
            }
            (Some(OpenBlock::Call { .. }) | None, Some("input_json_delta") | None)
                if delta.partial_json.get().is_some() =>
            {
                let arguments = &*delta.partial_json.0;
                self.assembler
                    .add_to_indexed_call(index, CallPiece { arguments, ..CallPiece::default() });
            }
            (_, Some("text_delta") | None) if delta.text.get().is_some() => {
                self.assembler.add_content(&delta.text.0);
            }
            (_, Some("thinking_delta") | None) if delta.thinking.get().is_some() => {
                self.assembler.add_reasoning(&delta.thinking.0);
            }
            _ if delta.has_text() => return Err(WireError::unknown_content(json)),
            _ => {}
        }
        Ok(())
    }

    /// Stops all blocks, because gateways omit the ends of blocks.
    fn stop_all_blocks(&mut self) {
        while let Some((index, _)) = self.open.first_key_value() {
            self.stop_block(*index);
        }
    }

    /// Stops a block, and reports what is known only at its end.
    fn stop_block(&mut self, index: u64) {
        match self.open.remove(&index) {
            Some(OpenBlock::Thinking { text, signature }) if !signature.is_empty() => {
                self.assembler.add_other(&signed_thinking(text, signature));
            }
            Some(OpenBlock::Call { input }) => {
                let piece = CallPiece { arguments: &input, ..CallPiece::default() };
                self.assembler.end_indexed_call(index, piece);
            }
            Some(OpenBlock::Other { map, texts }) => {
                let json = block_json(map, texts, &mut self.assembler.values);
                self.assembler.add_other(&json);
            }
            _ => {}
        }
    }
}

impl BlockDelta<'_> {
    fn has_text(&self) -> bool {
        [&self.text, &self.thinking, &self.partial_json].iter().any(|text| text.get().is_some())
    }
}

/// Adds a delta to a block that only the provider understands. Texts grow, other values are
/// replaced.
fn add_unknown_delta(
    map: &mut Map,
    texts: &mut BTreeMap<String, String>,
    json: &str,
    delta: &BlockDelta<'_>,
    values: &mut ValueBudget,
) {
    if delta.kind.get() == Some("input_json_delta") {
        texts.entry(PARTIAL_JSON.to_owned()).or_default().push_str(&delta.partial_json.0);
        return;
    }
    let Some(Value::Object(fields)) = values.read(json) else { return };
    for (name, value) in fields.iter().filter(|(name, _)| *name != "type") {
        let Value::String(more) = value else {
            map.insert(name, value.clone());
            continue;
        };
        let text = texts.entry(name.to_owned()).or_insert_with(|| match map.get(name) {
            Some(Value::String(text)) => text.to_string(),
            _ => String::new(),
        });
        text.push_str(more);
    }
}

/// The JSON of a block of signed reasoning. The texts may be long, so they are not kept.
#[expect(clippy::needless_pass_by_value, reason = "the texts are dropped at the end")]
fn signed_thinking(text: String, signature: String) -> String {
    let mut json = String::with_capacity(text.len() + signature.len() + 64);
    for (before, text) in
        [(r#"{"type":"thinking","thinking":""#, &text), (r#"","signature":""#, &signature)]
    {
        json.push_str(before);
        escape_text(text, |piece| json.push_str(piece));
    }
    json.push_str("\"}");
    json
}

/// The key of the growing text of an input. No block has a field of this name.
const PARTIAL_JSON: &str = "partial_json";

/// The JSON of a block with its grown texts.
fn block_json(mut block: Map, texts: BTreeMap<String, String>, values: &mut ValueBudget) -> String {
    for (name, text) in texts {
        match name.as_str() {
            // A truncated input stays as its text.
            PARTIAL_JSON => {
                let input = values.pay(&text).then(|| Value::from_json(&text).ok()).flatten();
                let input = input.unwrap_or_else(|| Value::from(text));
                block.insert("input", input);
            }
            _ => {
                block.insert(name, text);
            }
        }
    }
    to_string(&Value::Object(block), EXACT)
}

fn finish_reason(word: &str) -> FinishReason {
    match word {
        "end_turn" => FinishReason::End,
        "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::Refused,
        _ => FinishReason::Other,
    }
}
