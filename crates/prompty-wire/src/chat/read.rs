//! Reads chat completions, whole and in chunks: the message of a whole answer is read as a chunk's delta.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess};
use serde_json::value::RawValue;

use super::messages::{Delayed, DelayedCall};
use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{Assembler, CallFields, CallPiece};
use crate::error::{ProviderError, Result, WireError, is_error};
use crate::fields::{
    Count, Field, JsonText, List, Object, Text, json_objects, read_field, says_nothing,
};
use crate::protocol_reader::{Next, ProtocolReader};
use crate::repeated::{Repeated, rest};
use crate::usage::BodyUsage;
use prompty_reply::{FinishReason, Reply};

/// Reads an answer, in one body or in chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChatReader {
    /// The choice that is the reply, and its index where it is known.
    first: Choice,
    first_index: Option<u64>,
    others: BTreeMap<u64, Choice>,
    offered: Option<Arc<BTreeSet<String>>>,
}

#[derive(Debug, Clone, Default)]
struct Choice {
    assembler: Assembler,
    /// The provider's own form of the reasoning, which it may want back.
    reasoning_details: Vec<Box<RawValue>>,
    /// Whether deltas said anything of it, and whether any was a call, a sound or an image.
    has_deltas: bool,
    has_media: bool,
    /// What was told before the whole message that is read.
    repeated: Option<Box<Repeated>>,
    /// What whole messages say that is told at the end.
    delayed: Option<Box<Delayed>>,
    /// Whether it has calls in the present form. Some servers repeat them in the old one.
    has_tool_calls: bool,
}

json_objects! {
    struct Groq {
        usage: Object<Box<BodyUsage>>,
    }
}

json_objects! {
    struct Body<'j> {
        id: Text<'j>,
        model: Text<'j>,
        choices: List<Object<BodyChoice<'j>>>,
        // What most chunks do not have is boxed: chunks are moved while they are read.
        usage: Object<Box<BodyUsage>>,
        error: Option<&'j RawValue>,
        /// What errors have that stand alone.
        object: Text<'j>,
        message: Text<'j>,
        detail: Option<&'j RawValue>,
        /// Groq puts the usage of streams here.
        x_groq: Object<Groq>,
    }

    struct BodyChoice<'j> {
        index: Count,
        delta: Object<Box<Delta<'j>>>,
        message: Object<Box<Delta<'j>>>,
        error: Option<&'j RawValue>,
        finish_reason: Text<'j>,
        /// Some providers put the usage here.
        usage: Object<Box<BodyUsage>>,
    }

    struct Delta<'j> {
        content: Parts<'j>,
        // The same text may stand under two of these names.
        reasoning_content: Text<'j>,
        reasoning: Text<'j>,
        reasoning_text: Text<'j>,
        reasoning_details: List<&'j RawValue>,
        refusal: Text<'j>,
        tool_calls: List<Object<AnswerCall<'j>>>,
        function_call: Object<Box<Function<'j>>>,
        audio: Option<&'j RawValue>,
        images: Option<&'j RawValue>,
    }

    struct AnswerCall<'j> {
        index: Count,
        id: Text<'j>,
        function: Object<Function<'j>>,
        custom: Object<Box<Custom<'j>>>,
        extra_content: Option<&'j RawValue>,
        provider_specific_fields: Option<&'j RawValue>,
    }

    struct Function<'j> {
        name: Text<'j>,
        arguments: JsonText<'j>,
    }

    struct Custom<'j> {
        name: Text<'j>,
        input: Text<'j>,
    }
}

/// Content: a text, or a list of parts.
#[derive(Default)]
enum Parts<'j> {
    #[default]
    None,
    Text(Cow<'j, str>),
    List(Vec<&'j RawValue>),
}

json_objects! {
    struct Part<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Text<'j>,
        refusal: Text<'j>,
        thinking: Parts<'j>,
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for Parts<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field::<Parts<'de>, D>(deserializer)
    }
}

impl<'de> Field<'de> for Parts<'de> {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }

    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        List::of_list(list).map(|parts| Self::List(parts.0))
    }
}

impl ProtocolReader for ChatReader {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { first: Choice::new(offered.clone()), offered, ..Self::default() }
    }

    /// Reads a chunk. Only `[DONE]` says that nothing more comes.
    fn read(&mut self, json: &str) -> Result<Next> {
        self.body(json, false)
    }

    fn read_whole(&mut self, json: &str) -> Result<Next> {
        self.body(json, true)
    }

    /// What is told: the first choice.
    fn told(&self) -> &Assembler {
        &self.first.assembler
    }

    fn told_mut(&mut self) -> &mut Assembler {
        &mut self.first.assembler
    }

    /// Whether the provider said why the reply ended.
    fn is_finished(&self) -> bool {
        self.choices().all(|it| it.assembler.is_finished())
    }

    /// Ends the reply.
    fn end(&mut self) {
        self.first.end();
        self.others.values_mut().for_each(Choice::end);
    }

    fn into_reply(self) -> Reply {
        let mut first = self.first.assembler;
        for other in self.others.into_values() {
            first.add_alternative(other.assembler);
        }
        first.into_reply()
    }
}

impl ChatReader {
    /// Reads a chunk, or a whole answer.
    fn body(&mut self, json: &str, is_whole: bool) -> Result<Next> {
        let body: Body<'_> = WireError::read_object(json)?;
        if let Some(error) = body.error.filter(|error| is_error(error.get())) {
            return Err(ProviderError::from_json(error.get()).into());
        }
        let says_wrong = body.message.get().is_some() || body.detail.is_some();
        if body.object.get() == Some("error") || (body.choices.0.is_empty() && says_wrong) {
            return Err(ProviderError::from_json(json).into());
        }
        let is_known = !body.choices.0.is_empty()
            || body.usage.0.is_some()
            || body.id.get().is_some()
            || body.object.get().is_some_and(|object| object.contains("completion"));
        self.first.assembler.identity(body.id.get(), body.model.get());
        if self.first_index.is_none() {
            self.first_index = body
                .choices
                .0
                .iter()
                .filter_map(|it| it.0.as_ref())
                .map(|it| it.index.0.unwrap_or(0))
                .min();
        }
        for mut choice in body.choices.0.into_iter().filter_map(|it| it.0) {
            if let Some(usage) = choice.usage.0.take() {
                self.first.assembler.usage(usage.usage());
            }
            let error = choice.error.filter(|error| is_error(error.get()));
            let own = self.choice(choice.index.0.unwrap_or(0));
            own.read(choice, is_whole).map_err(WireError::no_event)?;
            if let Some(error) = error {
                return Err(ProviderError::from_json(error.get()).into());
            }
        }
        let groq = body.x_groq.0.and_then(|it| it.usage.0);
        for usage in body.usage.0.into_iter().chain(groq) {
            self.first.assembler.usage(usage.usage());
        }
        Ok(if is_known { Next::More } else { Next::Unknown })
    }

    fn choices(&self) -> impl Iterator<Item = &Choice> {
        std::iter::once(&self.first).chain(self.others.values())
    }

    fn choice(&mut self, index: u64) -> &mut Choice {
        if self.first_index == Some(index) {
            return &mut self.first;
        }
        self.others.entry(index).or_insert_with(|| Choice::silent(self.offered.clone()))
    }
}

impl Choice {
    fn new(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::with_offered(offered), ..Self::default() }
    }

    /// A choice that is no part of what is told.
    fn silent(offered: Option<Arc<BTreeSet<String>>>) -> Self {
        Self { assembler: Assembler::silent(offered), ..Self::default() }
    }

    fn read(&mut self, choice: BodyChoice<'_>, is_whole: bool) -> Result<(), serde_json::Error> {
        if let Some(delta) = choice.delta.0 {
            let before = self.said();
            self.delta(delta, false)?;
            self.has_deltas |= self.said() != before;
        }
        if let Some(message) = choice.message.0 {
            if is_whole { self.delta(message, true)? } else { self.message(message)? }
        }
        if let Some(word) = choice.finish_reason.get() {
            self.tell_delayed();
            self.assembler.finished(word.to_owned(), finish_reason(word));
        }
        Ok(())
    }

    /// How much was said, to find out whether a delta says anything.
    fn said(&self) -> (usize, bool, usize) {
        let assembler = &self.assembler;
        (assembler.count(), assembler.has_calls(), self.reasoning_details.len())
    }

    /// Reads a whole message in a stream. It says again what came, and more.
    fn message(&mut self, mut message: Box<Delta<'_>>) -> Result<(), serde_json::Error> {
        self.delay(&mut message);
        match message.reasoning_details.0.is_empty() || self.has_deltas {
            true => message.reasoning_details.0.retain(|_| self.reasoning_details.is_empty()),
            false => self.reasoning_details.clear(),
        }
        self.repeated = Some(Box::new(Repeated::new(self.assembler.reply())));
        let read = self.delta(message, false);
        self.repeated = None;
        read
    }

    /// Takes out of a message what is told at the end.
    fn delay(&mut self, message: &mut Delta<'_>) {
        let calls = std::mem::take(&mut message.tool_calls).0;
        let function = std::mem::take(&mut message.function_call).0;
        let media = [&mut message.audio, &mut message.images].map(Option::take);
        if calls.is_empty() && function.is_none() && media.iter().all(Option::is_none) {
            return;
        }
        let delayed = self.delayed.get_or_insert_default();
        delayed.begin_message();
        for (place, call) in calls.iter().filter_map(|it| it.0.as_ref()).enumerate() {
            let Some(piece) = call.piece() else { continue };
            let fields = [call.extra_content, call.provider_specific_fields];
            let fields = fields.map(|field| field.map(ToOwned::to_owned));
            delayed.take_call(place, DelayedCall::new(&piece, fields));
        }
        if let Some(function) = function.filter(|_| calls.is_empty()) {
            delayed.take_call(0, DelayedCall::new(&function.piece(), [None, None]));
        }
        for (own, new) in [&mut delayed.audio, &mut delayed.images].into_iter().zip(media) {
            *own = new.map(ToOwned::to_owned).or(own.take());
        }
    }

    /// Tells what messages said beside their texts, where no delta said it.
    fn tell_delayed(&mut self) {
        let Some(delayed) = self.delayed.take() else { return };
        if !self.assembler.has_calls() {
            for call in &delayed.calls {
                self.assembler.whole_call(call.piece());
            }
        }
        if !self.has_media {
            self.media("audio", delayed.audio.as_deref());
            self.media("images", delayed.images.as_deref());
        }
    }

    /// Tells a sound or images, which only the provider understands.
    fn media(&mut self, name: &str, field: Option<&RawValue>) {
        if let Some(field) = field.filter(|field| !says_nothing(field.get())) {
            self.has_media = true;
            let json = format!(r#"{{"type":"{name}","{name}":{}}}"#, field.get());
            self.assembler.other(PROTOCOL, &json);
        }
    }

    fn content(&mut self, text: Cow<'_, str>) {
        let Some(told) = &mut self.repeated else { return self.assembler.take_content(text) };
        let (left, reply) = (&mut told.content, self.assembler.reply());
        let text = rest(reply.content(), left, &text, self.has_deltas);
        self.assembler.content(text);
    }

    fn reasoning(&mut self, text: &str) {
        let Some(told) = &mut self.repeated else { return self.assembler.reasoning(text) };
        let (left, reply) = (&mut told.reasoning, self.assembler.reply());
        let text = rest(reply.reasoning(), left, text, self.has_deltas);
        self.assembler.reasoning(text);
    }

    fn refusal(&mut self, text: &str) {
        let Some(told) = &mut self.repeated else { return self.assembler.refusal(text) };
        let (left, reply) = (&mut told.refusal, self.assembler.reply());
        let text = rest(reply.refusal().unwrap_or_default(), left, text, self.has_deltas);
        self.assembler.refusal(text);
    }

    /// Reads a delta, or a whole message: each of its calls is a whole one. It is boxed, as it is large and moved.
    fn delta(&mut self, delta: Box<Delta<'_>>, is_whole: bool) -> Result<(), serde_json::Error> {
        let names = [&delta.reasoning_content, &delta.reasoning, &delta.reasoning_text];
        if let Some(reasoning) = names.into_iter().find_map(Text::get) {
            self.reasoning(reasoning);
        }
        self.reasoning_details.extend(delta.reasoning_details.0.iter().map(|it| (*it).to_owned()));
        match delta.content {
            Parts::None => {}
            Parts::Text(text) => self.content(text),
            Parts::List(parts) => parts.iter().try_for_each(|part| self.part(part.get()))?,
        }
        if let Some(refusal) = delta.refusal.get() {
            self.refusal(refusal);
        }
        for (at, call) in delta.tool_calls.0.iter().filter_map(|it| it.0.as_ref()).enumerate() {
            let is_whole = is_whole || (at > 0 && call.index.0.is_none() && !self.knows(call));
            self.call(call, is_whole);
        }
        self.has_tool_calls |= !delta.tool_calls.0.is_empty();
        if let Some(function) = delta.function_call.0.as_ref().filter(|_| !self.has_tool_calls) {
            self.assembler.loose_call(None, function.piece());
        }
        self.media("audio", delta.audio);
        self.media("images", delta.images);
        Ok(())
    }

    fn knows(&mut self, call: &AnswerCall<'_>) -> bool {
        call.id.get().is_some_and(|id| self.assembler.knows(id))
    }

    /// Reads a part of content: a bare text, a text, a thought, or what only the provider understands.
    fn part(&mut self, json: &str) -> Result<(), serde_json::Error> {
        let part = match json.as_bytes().first() {
            Some(b'"') => {
                self.content(serde_json::from_str::<Text<'_>>(json)?.0);
                return Ok(());
            }
            _ => serde_json::from_str::<Object<Part<'_>>>(json)?,
        };
        let Some(part) = part.0 else { return Ok(()) };
        match (part.kind.get(), &part.thinking) {
            (_, Parts::Text(text)) => self.reasoning(text),
            (_, Parts::List(parts)) => {
                parts.iter().try_for_each(|part| self.thought(part.get()))?;
            }
            (Some("thinking" | "reasoning"), Parts::None) => self.reasoning(&part.text.0),
            (Some("refusal"), Parts::None) => self.refusal(&part.refusal.0),
            (None | Some("text" | "output_text"), Parts::None) => {
                self.content(part.text.0);
            }
            (Some(_), Parts::None) if !part.text.0.is_empty() => {
                self.content(part.text.0);
            }
            (Some(_), Parts::None) => self.assembler.other(PROTOCOL, json),
        }
        Ok(())
    }

    /// Reads a part of what the model thought: a bare text, or a map with one.
    fn thought(&mut self, json: &str) -> Result<(), serde_json::Error> {
        let text = match json.as_bytes().first() {
            Some(b'"') => serde_json::from_str::<Text<'_>>(json)?,
            _ => match serde_json::from_str::<Object<Part<'_>>>(json)?.0 {
                Some(part) => part.text,
                None => return Ok(()),
            },
        };
        self.reasoning(&text.0);
        Ok(())
    }

    fn call(&mut self, call: &AnswerCall<'_>, is_whole: bool) {
        let Some(piece) = call.piece() else { return };
        let says_nothing = piece.name.is_none() && piece.arguments.is_empty();
        if is_whole && says_nothing {
            return;
        }
        match is_whole && piece.name.is_some() {
            true => self.assembler.whole_call(piece),
            false => self.assembler.loose_call(call.index.0, piece),
        }
    }

    fn end(&mut self) {
        self.tell_delayed();
        if !self.reasoning_details.is_empty() {
            let details = std::mem::take(&mut self.reasoning_details);
            let details: Vec<&str> = details.iter().map(|it| it.get()).collect();
            let json = format!(
                r#"{{"type":"reasoning_details","reasoning_details":[{}]}}"#,
                details.join(",")
            );
            self.assembler.other(PROTOCOL, &json);
        }
        self.assembler.end();
    }
}

impl AnswerCall<'_> {
    fn piece(&self) -> Option<CallPiece<'_>> {
        let id = self.id.get();
        let fields = [self.extra_content, self.provider_specific_fields];
        let fields = CallFields::new(PROTOCOL, CALL_FIELDS, fields);
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

impl Function<'_> {
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
