//! Reads messages of Anthropic's protocol, whole and as events: a block of a whole message is read as one
//! that starts and stops.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prompty_core::value::internal::json::to_string;
use prompty_core::value::{Map, Value};
use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{Assembler, CallFields, CallPiece};
use crate::error::{ProviderError, Result, WireError, is_error};
use crate::fields::{Count, EXACT, List, Object, Text, TextOr, compact, json_objects};
use crate::protocol_reader::{Next, ProtocolReader};
use crate::repeated::{Repeated, rest};
use crate::usage::BodyUsage;
use prompty_reply::{FinishReason, Reply};

/// The type of a call's block.
const CALL: &str = "tool_use";

/// Reads an answer, in one body or in events.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnthropicReader {
    assembler: Assembler,
    /// The blocks that have started and not stopped, by their index.
    open: BTreeMap<u64, Block>,
    /// The index of the block that started last: gateways leave indices out.
    newest: Option<u64>,
    /// Whether the message has started: gateways start it again.
    has_started: bool,
}

#[derive(Debug, Clone)]
enum Block {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        input: String,
    },
    /// What only the provider understands, with its texts that grow.
    Other {
        map: Map,
        texts: BTreeMap<String, String>,
    },
}

json_objects! {
    /// An event, or a whole message.
    struct Event<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        index: Count,
        message: Object<Message<'j>>,
        content_block: Option<&'j RawValue>,
        delta: Option<&'j RawValue>,
        usage: Object<BodyUsage>,
        error: Option<&'j RawValue>,
    }

    struct Message<'j> {
        id: Text<'j>,
        model: Text<'j>,
        // Some gateways write a text in the place of a list of one block.
        content: TextOr<'j, List<&'j RawValue>>,
        stop_reason: Text<'j>,
        stop_sequence: Text<'j>,
        usage: Object<BodyUsage>,
    }

    struct StartedBlock<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Text<'j>,
        thinking: Text<'j>,
        signature: Text<'j>,
        id: Text<'j>,
        name: Text<'j>,
        input: Option<&'j RawValue>,
        caller: Option<&'j RawValue>,
    }

    struct Delta<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Text<'j>,
        thinking: Text<'j>,
        signature: Text<'j>,
        partial_json: Text<'j>,
        stop_reason: Text<'j>,
        stop_sequence: Text<'j>,
    }
}

impl ProtocolReader for AnthropicReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::with_offered(offered), ..Self::default() }
    }

    /// Reads an event, or a whole message.
    fn read(&mut self, json: &str) -> Result<Next> {
        let event: Event<'_> = WireError::read_object(json)?;
        if let Some(error) = event.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        match event.kind.get() {
            None | Some("message") => {
                let message: Message<'_> =
                    serde_json::from_str(json).map_err(WireError::no_event)?;
                let says_nothing = match &message.content {
                    TextOr::Text(text) => text.get().is_none(),
                    TextOr::Other(blocks) => blocks.0.is_empty(),
                };
                if says_nothing && message.stop_reason.get().is_none() {
                    return Ok(Next::Unknown);
                }
                self.message(&message).map_err(WireError::no_event)?;
            }
            Some("message_start") => {
                let has_started = std::mem::replace(&mut self.has_started, true);
                if let Some(message) = &event.message.0 {
                    match has_started {
                        true => self.usage(&message.usage),
                        false => self.message(message).map_err(WireError::no_event)?,
                    }
                }
            }
            Some("content_block_start") => {
                if let Some(json) = event.content_block {
                    let block = serde_json::from_str(json.get()).map_err(WireError::no_event)?;
                    let next = self.newest.map_or(0, |newest| newest.saturating_add(1));
                    let index = event.index.0.unwrap_or(next);
                    self.start(index, json.get(), block);
                }
            }
            Some("content_block_delta") => {
                if let Some(delta) = event.delta {
                    let index = event.index.0.or(self.newest).unwrap_or_default();
                    self.delta(index, delta.get()).map_err(WireError::no_event)?;
                }
            }
            Some("content_block_stop") => {
                self.stop(event.index.0.or(self.newest).unwrap_or_default());
            }
            Some("message_delta") => {
                let delta = event.delta.map(|delta| serde_json::from_str::<Delta<'_>>(delta.get()));
                if let Some(delta) = delta.transpose().map_err(WireError::no_event)? {
                    self.finished(&delta.stop_reason, &delta.stop_sequence);
                }
                self.usage(&event.usage);
            }
            Some("message_stop") => {
                if !self.assembler.is_finished() {
                    self.assembler.finished("message_stop".to_owned(), FinishReason::Other);
                }
                return Ok(Next::Nothing);
            }
            Some("ping") => {}
            // The words of the error stand beside the type.
            Some("error") => return Err(ProviderError::from_json(json).into()),
            // What is newer than this library.
            Some(_) => return Ok(Next::Unknown),
        }
        Ok(Next::More)
    }

    fn told(&self) -> &Assembler {
        &self.assembler
    }

    fn told_mut(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.stop_all();
        self.assembler.end();
    }

    fn into_reply(self) -> Reply {
        self.assembler.into_reply()
    }
}

impl AnthropicReader {
    fn message(&mut self, message: &Message<'_>) -> Result<(), serde_json::Error> {
        self.assembler.identity(message.id.get(), message.model.get());
        let is_first = self.newest.is_none() && !self.assembler.has_told();
        match &message.content {
            TextOr::Text(text) if is_first => self.assembler.content(&text.0),
            TextOr::Other(blocks) if is_first => self.blocks(&blocks.0)?,
            // Gateways repeat the whole message behind its deltas.
            TextOr::Text(text) => {
                self.text_again(&mut Repeated::new(self.assembler.reply()), &text.0);
            }
            TextOr::Other(blocks) => self.blocks_again(&blocks.0)?,
        }
        self.finished(&message.stop_reason, &message.stop_sequence);
        self.usage(&message.usage);
        Ok(())
    }

    /// Reads whole blocks: all of them before the first is told, as what cannot be read may be read in another way.
    fn blocks(&mut self, written: &[&RawValue]) -> Result<(), serde_json::Error> {
        let blocks: Result<Vec<Object<StartedBlock<'_>>>, _> =
            written.iter().map(|json| serde_json::from_str(json.get())).collect();
        for ((index, json), block) in (0..).zip(written).zip(blocks?) {
            self.start(index, json.get(), block);
            self.stop(index);
        }
        Ok(())
    }

    /// Reads whole blocks behind what was told: of texts what is new, and blocks of the kinds that were not told.
    fn blocks_again(&mut self, written: &[&RawValue]) -> Result<(), serde_json::Error> {
        if written.is_empty() {
            return Ok(());
        }
        self.stop_all();
        let told = self.assembler.reply();
        let mut repeated = Repeated::new(told);
        let mut kinds: BTreeSet<String> =
            told.others().iter().filter_map(|it| it.kind().map(str::to_owned)).collect();
        if self.assembler.has_calls() {
            kinds.insert(CALL.to_owned());
        }
        let next = self.newest.map_or(0, |newest| newest.saturating_add(1));
        for (index, json) in (next..).zip(written) {
            let block: Object<StartedBlock<'_>> = serde_json::from_str(json.get())?;
            let kind = block.0.as_ref().map_or("", |block| &*block.kind.0);
            match (kind, block.0.as_ref()) {
                ("text", Some(block)) => self.text_again(&mut repeated, &block.text.0),
                ("thinking", Some(block)) => {
                    let reply = self.assembler.reply();
                    let text = &block.thinking.0;
                    let new = rest(reply.reasoning(), &mut repeated.reasoning, text, true);
                    self.assembler.reasoning(new);
                    if !kinds.contains(kind) && block.signature.get().is_some() {
                        self.assembler.other(PROTOCOL, json.get());
                    }
                }
                _ if kinds.contains(kind) => {}
                _ => {
                    self.start(index, json.get(), block);
                    self.stop(index);
                }
            }
        }
        Ok(())
    }

    fn text_again(&mut self, repeated: &mut Repeated, text: &str) {
        let text = rest(self.assembler.reply().content(), &mut repeated.content, text, true);
        self.assembler.content(text);
    }

    fn usage(&mut self, usage: &Object<BodyUsage>) {
        if let Some(usage) = &usage.0 {
            self.assembler.usage(usage.usage());
        }
    }

    fn finished(&mut self, reason: &Text<'_>, sequence: &Text<'_>) {
        let Some(word) = reason.get() else { return };
        self.assembler.finished(word.to_owned(), finish_reason(word));
        if let Some(sequence) = sequence.get() {
            self.assembler.received().stop_sequence = Some(sequence.to_owned());
        }
    }

    fn start(&mut self, index: u64, json: &str, block: Object<StartedBlock<'_>>) {
        self.stop(index);
        self.newest = Some(index);
        let Some(block) = block.0 else { return };
        let own = match block.kind.get() {
            Some("text") => {
                self.assembler.content(&block.text.0);
                Block::Text
            }
            Some("thinking") => {
                self.assembler.reasoning(&block.thinking.0);
                let (text, signature) = (block.thinking.0, block.signature.0);
                Block::Thinking { text: text.into_owned(), signature: signature.into_owned() }
            }
            Some(CALL) => {
                let (id, name) = (block.id.get(), block.name.get());
                let fields = CallFields::new(PROTOCOL, CALL_FIELDS, [block.caller, None]);
                let begun = CallPiece { id, name, fields, ..CallPiece::default() };
                self.assembler.begin_indexed_call(index, begun);
                let input = block.input.map_or("", RawValue::get);
                Block::Call {
                    input: if is_nothing(input) {
                        String::new()
                    } else {
                        compact(input).into_owned()
                    },
                }
            }
            _ => match Value::from_json(json) {
                Ok(Value::Object(map)) => Block::Other { map, texts: BTreeMap::new() },
                // What is too deep to be read is passed on as it is.
                _ => {
                    return self.assembler.other(PROTOCOL, json);
                }
            },
        };
        self.open.insert(index, own);
    }

    fn delta(&mut self, index: u64, json: &str) -> Result<(), serde_json::Error> {
        let delta: Object<Delta<'_>> = serde_json::from_str(json)?;
        let Some(delta) = delta.0 else { return Ok(()) };
        // Gateways leave the start of a block out, and the type of a delta. A block that a delta does not belong to ends,
        // and a signature belongs to the thinking.
        let is_text = delta.text.get().is_some();
        let is_thinking = delta.thinking.get().is_some() || delta.signature.get().is_some();
        match self.open.get(&index) {
            None => self.stop_all(),
            Some(Block::Thinking { .. }) if is_text => self.stop(index),
            Some(Block::Text) if is_thinking => self.stop(index),
            Some(_) => {}
        }
        if is_thinking {
            let thinking = Block::Thinking { text: String::new(), signature: String::new() };
            self.open.entry(index).or_insert(thinking);
        }
        match (self.open.get_mut(&index), delta.kind.get()) {
            (Some(Block::Other { map, texts }), _) => add_delta(map, texts, json, &delta),
            (Some(Block::Thinking { text, signature }), _) => {
                text.push_str(&delta.thinking.0);
                signature.push_str(&delta.signature.0);
                self.assembler.reasoning(&delta.thinking.0);
            }
            (Some(Block::Call { .. }) | None, Some("input_json_delta") | None)
                if delta.partial_json.get().is_some() =>
            {
                let arguments = &*delta.partial_json.0;
                self.assembler.indexed_call(index, CallPiece { arguments, ..CallPiece::default() });
            }
            (_, Some("text_delta") | None) if delta.text.get().is_some() => {
                self.assembler.content(&delta.text.0);
            }
            (_, Some("thinking_delta") | None) => self.assembler.reasoning(&delta.thinking.0),
            _ => {}
        }
        Ok(())
    }

    /// Stops all blocks. Gateways leave the ends of blocks out.
    fn stop_all(&mut self) {
        while let Some((index, _)) = self.open.first_key_value() {
            self.stop(*index);
        }
    }

    fn stop(&mut self, index: u64) {
        match self.open.remove(&index) {
            Some(Block::Thinking { text, signature }) if !signature.is_empty() => {
                let block = Map::from([
                    ("type", "thinking"),
                    ("thinking", text.as_str()),
                    ("signature", signature.as_str()),
                ]);
                self.assembler.other(PROTOCOL, &json(block, BTreeMap::new()));
            }
            Some(Block::Call { input }) => {
                let whole = CallPiece { arguments: &input, ..CallPiece::default() };
                self.assembler.end_indexed_call(index, whole);
            }
            Some(Block::Other { map, texts }) => {
                self.assembler.other(PROTOCOL, &json(map, texts));
            }
            _ => {}
        }
    }
}

/// Adds a delta to a block that only the provider understands: texts grow, all else is replaced.
fn add_delta(map: &mut Map, texts: &mut BTreeMap<String, String>, json: &str, delta: &Delta<'_>) {
    if delta.kind.get() == Some("input_json_delta") {
        texts.entry(PARTIAL.to_owned()).or_default().push_str(&delta.partial_json.0);
        return;
    }
    let Ok(Value::Object(fields)) = Value::from_json(json) else { return };
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

/// Where the text of an input grows. No block has a field of this name.
const PARTIAL: &str = "partial_json";

fn json(mut block: Map, texts: BTreeMap<String, String>) -> String {
    for (name, text) in texts {
        match name.as_str() {
            // An input that was cut stays as its text.
            PARTIAL => {
                let input = Value::from_json(&text).unwrap_or_else(|_| Value::from(&*text));
                block.insert("input", input);
            }
            _ => {
                block.insert(name, text);
            }
        }
    }
    to_string(&Value::Object(block), EXACT)
}

fn is_nothing(input: &str) -> bool {
    matches!(&*compact(input), "" | "{}" | "null" | "\"\"")
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
