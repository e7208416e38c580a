//! A reply as a value: its reasoning, its content and its calls.

use std::mem::discriminant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::event::{Event, FinishReason, Malformation};
#[cfg(feature = "parser")]
use super::machine::PlainReply;
use super::provider_metadata::{NO_METADATA, ProviderMetadata, Usage};
#[cfg(feature = "parser")]
use super::sink::Sink;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::lenient_integers;
use prompty_core::message::{
    Content, ContentPart, Message, ProviderFields, ProviderPart, Role, ToolCall,
};
use prompty_core::value::Value;

/// A reply of a model.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::{Part, ReplyParser};
/// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
///
/// let mut format = ReplyFormat::plain();
/// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
/// let reply = ReplyParser::new(format).parse("<think>6 times 7.</think>42");
/// let parts: Vec<_> = reply.parts().collect();
/// assert_eq!(parts, [Part::Reasoning("6 times 7."), Part::Content("42")]);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Reply {
    reasoning: String,
    content: String,
    #[serde(rename = "tool_calls")]
    calls: Vec<ReplyCall>,
    malformed: Vec<Malformed>,
    /// The sequence of the parts, except for the latest one. For a text, the entry is the offset of
    /// its end in all text of that kind; for other parts, it is their index.
    #[serde(skip)]
    order: Vec<PartPosition>,
    /// The latest part, unless it has ended and the next text is a separate part. Most replies have
    /// only this one, so `order` needs no allocation.
    #[serde(skip)]
    last: Option<PartPosition>,
    /// The data that only providers report.
    #[serde(flatten)]
    provider_metadata: Option<Box<ProviderMetadata>>,
    /// The other replies, if several were requested.
    #[serde(skip)]
    alternatives: Vec<Reply>,
}

/// Where a part is: a text by its end in all text of its kind, other parts by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartPosition {
    Reasoning(usize),
    Content(usize),
    Call(usize),
    Malformed(usize),
    Refusal(usize),
    Other(usize),
    /// The following texts belong to another phase, as some providers report it.
    Phase(usize),
}

/// A call of a tool in a reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct ReplyCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, valid if the call is complete. Numbers are as the model wrote
    /// them.
    pub arguments: String,
    /// Its id; empty if the model wrote none.
    pub id: String,
    /// Whether the call is complete. Do not carry out an incomplete call.
    pub complete: bool,
    /// Whether the tool was offered.
    #[serde(skip)]
    pub known: bool,
    /// Whether braces that the model left open were closed.
    #[serde(skip)]
    pub repaired: bool,
    /// Whether the arguments are free text instead of JSON, which some providers' tools use.
    #[serde(skip)]
    pub free_text: bool,
    /// Fields that only the provider understands and wants back, such as a signature. Events do not
    /// contain them.
    #[serde(skip)]
    pub provider: Option<Box<ProviderFields>>,
}

/// Text in the place of a call that is not a valid call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Malformed {
    /// The complete text, as the model wrote it.
    pub text: String,
    /// The problem with it.
    pub reason: Malformation,
}

/// A part of a reply, in the order in which the model wrote it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Part<'reply> {
    /// Reasoning.
    Reasoning(&'reply str),
    /// Content.
    Content(&'reply str),
    /// A call.
    Call(&'reply ReplyCall),
    /// Text in the place of a call that is not a valid call.
    Malformed(&'reply Malformed),
    /// Text in which the model refuses to answer.
    Refusal(&'reply str),
    /// An item that only the provider understands.
    Other(&'reply ProviderPart),
}

impl Reply {
    /// All reasoning.
    pub fn reasoning(&self) -> &str {
        &self.reasoning
    }

    /// All content.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Deserializes the content from JSON into a Rust type.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Conversion`] if the content is not valid JSON or
    /// does not fit the type.
    pub fn content_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        lenient_integers::read(&self.content, |json| serde_json::from_str(json)).map_err(|error| {
            let message = format!("the content does not match the type: {error}");
            Error::new(ErrorKind::Conversion, message)
                .with_help("create the parser with the schema of the request")
        })
    }

    /// The calls, in order.
    pub fn calls(&self) -> &[ReplyCall] {
        &self.calls
    }

    /// The malformed texts in the place of calls.
    pub fn malformed(&self) -> &[Malformed] {
        &self.malformed
    }

    /// The parts in the order in which the model wrote them.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.parts_with_phases().map(|(_, part)| part)
    }

    /// The parts in the order in which the model wrote them, each with the index of its phase.
    fn parts_with_phases(&self) -> impl Iterator<Item = (Option<usize>, Part<'_>)> {
        // The ends of the texts so far, where the next text of the same kind begins.
        let (mut reasoning, mut content, mut refusal) = (0, 0, 0);
        // Parts before the first text belong to the first phase.
        let mut phase = (!self.provider_metadata().phases.is_empty()).then_some(0);
        self.order.iter().chain(&self.last).filter_map(move |piece| {
            let part = match *piece {
                PartPosition::Reasoning(end) => {
                    let start = std::mem::replace(&mut reasoning, end);
                    Part::Reasoning(self.reasoning.get(start..end)?)
                }
                PartPosition::Content(end) => {
                    let start = std::mem::replace(&mut content, end);
                    Part::Content(self.content.get(start..end)?)
                }
                PartPosition::Call(index) => Part::Call(self.calls.get(index)?),
                PartPosition::Malformed(index) => Part::Malformed(self.malformed.get(index)?),
                PartPosition::Refusal(end) => {
                    let start = std::mem::replace(&mut refusal, end);
                    Part::Refusal(self.refusal()?.get(start..end)?)
                }
                PartPosition::Other(index) => Part::Other(self.others().get(index)?),
                PartPosition::Phase(index) => {
                    phase = Some(index);
                    return None;
                }
            };
            Some((phase, part))
        })
    }

    /// The text in which the model refused to answer, if its provider marks refusals. If the
    /// provider only reports that the model refused, see [`finish_reason`](Self::finish_reason).
    pub fn refusal(&self) -> Option<&str> {
        self.provider_metadata().refusal.as_deref()
    }

    /// The items that only the provider understands, in order. They are signed reasoning, searches
    /// that it ran itself, and kinds of items that are newer than this library. [`Message::from`]
    /// keeps them, since the provider may want them back.
    pub fn others(&self) -> &[ProviderPart] {
        &self.provider_metadata().others
    }

    /// Why the reply ended, if a provider reported it.
    pub fn finish_reason(&self) -> Option<FinishReason> {
        self.provider_metadata().finish_reason
    }

    /// Why the reply is not an answer: the model refused, or the provider's filter stopped it.
    pub(crate) fn refusal_message(&self) -> Option<String> {
        match (self.refusal(), self.finish_reason()) {
            (Some(refusal), _) => Some(format!("the model refused: {refusal}")),
            (None, Some(FinishReason::Refused)) => Some("the model refused".to_owned()),
            (None, Some(FinishReason::Filtered)) => {
                Some("the provider's filter stopped the reply".to_owned())
            }
            _ => None,
        }
    }

    /// Why the reply ended, in the provider's own term.
    pub fn finish_word(&self) -> Option<&str> {
        self.provider_metadata().finish_word.as_deref()
    }

    /// The stop string that ended the reply, if the provider reports it.
    pub fn stop_sequence(&self) -> Option<&str> {
        self.provider_metadata().stop_sequence.as_deref()
    }

    /// The number of tokens used, if a provider reported it.
    pub fn usage(&self) -> Option<&Usage> {
        self.provider_metadata().usage.as_ref()
    }

    /// The provider's id of the reply.
    pub fn id(&self) -> Option<&str> {
        self.provider_metadata().id.as_deref()
    }

    /// The model that answered, under the provider's name for it.
    pub fn model(&self) -> Option<&str> {
        self.provider_metadata().model.as_deref()
    }

    /// The other replies, if several were requested.
    pub fn alternatives(&self) -> &[Self] {
        &self.alternatives
    }

    fn provider_metadata(&self) -> &ProviderMetadata {
        self.provider_metadata.as_deref().unwrap_or(&NO_METADATA)
    }

    /// Adds another reply to the same request, for `prompty-wire`.
    #[doc(hidden)]
    pub fn add_alternative(&mut self, reply: Self) {
        self.alternatives.push(reply);
    }

    /// The data that only providers report, to be filled in by `prompty-wire`.
    #[doc(hidden)]
    pub fn provider_metadata_mut(&mut self) -> &mut ProviderMetadata {
        self.provider_metadata.get_or_insert_default()
    }

    /// Adds an event of a stream.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::{FinishReason, Reply, ReplyParser};
    /// use typed_prompty::reply::format::ReplyFormat;
    ///
    /// let parser = ReplyParser::new(ReplyFormat::plain());
    /// let (mut stream, mut reply) = (parser.stream(), Reply::default());
    /// for piece in ["Hel", "lo"] {
    ///     stream.push(piece).for_each(|event| reply.add(event));
    /// }
    /// stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    /// assert_eq!(reply, parser.parse("Hello"));
    /// ```
    #[inline]
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Reasoning { text } => {
                self.reasoning.push_str(text);
                self.extend_to(PartPosition::Reasoning(self.reasoning.len()));
            }
            Event::Content { text } => {
                self.content.push_str(text);
                self.extend_to(PartPosition::Content(self.content.len()));
            }
            Event::CallStarted { id, name, known, free_text, .. } => {
                let (id, name) = (id.to_owned(), name.to_owned());
                self.begin_call(ReplyCall { name, id, known, free_text, ..ReplyCall::default() });
            }
            Event::Arguments { text, .. } => self.add_arguments(text),
            Event::CallEnded { id, complete, repaired, .. } => {
                if let Some(call) = self.calls.last_mut() {
                    if call.id.is_empty() {
                        id.clone_into(&mut call.id);
                    }
                    call.complete = complete;
                    call.repaired = repaired;
                }
            }
            Event::Malformed { text, reason } => {
                self.begin(PartPosition::Malformed(self.malformed.len()));
                self.malformed.push(Malformed { text: text.to_owned(), reason });
            }
            Event::Refusal { text } => {
                let refusal = self.provider_metadata_mut().refusal.get_or_insert_default();
                refusal.push_str(text);
                let end = refusal.len();
                self.extend_to(PartPosition::Refusal(end));
            }
            Event::Other { protocol, json } => {
                // JSON that is nested too deeply is kept as a string.
                let value = Value::from_json(json).unwrap_or_else(|_| Value::from(json));
                let others = &mut self.provider_metadata_mut().others;
                others.push(ProviderPart::new(protocol, value));
                let index = others.len() - 1;
                self.begin(PartPosition::Other(index));
            }
        }
    }

    /// Adds arguments to the latest call.
    #[inline]
    fn add_arguments(&mut self, text: &str) {
        if let Some(call) = self.calls.last_mut() {
            call.arguments.push_str(text);
        }
    }

    /// Adds content without copying the string if there is none yet, for `prompty-wire`.
    #[doc(hidden)]
    pub fn take_content(&mut self, text: String) {
        match self.content.is_empty() && !text.is_empty() {
            true => {
                self.content = text;
                // Records the part, whose text is already there.
                self.add(Event::Content { text: "" });
            }
            false => self.add(Event::Content { text: &text }),
        }
    }

    /// Ends the latest part if it is content, so that further content is a separate part.
    ///
    /// For `prompty-wire`.
    #[doc(hidden)]
    pub fn end_text(&mut self) {
        if matches!(self.last, Some(PartPosition::Content(_))) {
            self.order.extend(self.last.take());
        }
    }

    /// Begins a phase, unless `word` is the current one. Texts without a phase have an empty word.
    ///
    /// For `prompty-wire`.
    #[doc(hidden)]
    pub fn begin_phase(&mut self, word: &str) {
        let is_first_text = self.content.is_empty();
        let phases = &mut self.provider_metadata_mut().phases;
        if phases.last().map_or("", String::as_str) == word {
            return;
        }
        // The text before belongs to a phase without a word.
        if phases.is_empty() && !is_first_text {
            phases.push(String::new());
        }
        phases.push(word.to_owned());
        let index = phases.len() - 1;
        self.begin(PartPosition::Phase(index));
    }

    /// Begins a call, for `prompty-wire`.
    #[doc(hidden)]
    pub fn begin_call(&mut self, call: ReplyCall) {
        self.begin(PartPosition::Call(self.calls.len()));
        self.calls.push(call);
    }

    /// Returns a call, so that `prompty-wire` can add what events do not contain.
    #[doc(hidden)]
    pub fn call_mut(&mut self, index: usize) -> Option<&mut ReplyCall> {
        self.calls.get_mut(index)
    }

    /// Returns the reply as messages of the assistant, in order. There is one message, as from
    /// [`Message::from`], unless the provider separates phases, such as interim comments and the
    /// final answer. Then each phase has a message with the phase in its metadata, as the provider
    /// wants it back.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::{Event, Reply};
    ///
    /// let mut reply = Reply::default();
    /// reply.add(Event::Reasoning { text: "6 times 7." });
    /// reply.add(Event::Content { text: "42" });
    /// let messages = reply.to_messages();
    /// assert_eq!((messages.len(), messages[0].text().as_str()), (1, "42"));
    /// ```
    pub fn to_messages(&self) -> Vec<Message> {
        let phases = &self.provider_metadata().phases;
        let mut parts = self.parts_with_phases().peekable();
        let mut messages = Vec::new();
        loop {
            let phase = parts.peek().and_then(|(phase, _)| *phase);
            let mut same = Vec::new();
            while let Some((_, part)) = parts.next_if(|(of, _)| *of == phase) {
                same.extend(to_content_part(part));
            }
            let message = Message::new(Role::Assistant, same.into_iter().collect::<Content>());
            messages.push(match phase.and_then(|index| phases.get(index)) {
                Some(word) if !word.is_empty() => message.with_metadata("phase", word.as_str()),
                _ => message,
            });
            if parts.peek().is_none() {
                return messages;
            }
        }
    }

    /// Whether nothing was added to it.
    #[cfg(feature = "parser")]
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Extends the latest part to a new end if it is of the same kind, or appends a part.
    #[inline]
    fn extend_to(&mut self, piece: PartPosition) {
        match &mut self.last {
            Some(last) if discriminant(last) == discriminant(&piece) => *last = piece,
            _ => self.begin(piece),
        }
    }

    /// Appends a part after the latest one.
    fn begin(&mut self, piece: PartPosition) {
        self.order.extend(self.last.replace(piece));
    }
}

#[cfg(feature = "parser")]
impl From<PlainReply<'_>> for Reply {
    fn from(plain: PlainReply<'_>) -> Self {
        let (reasoning, content, last) = match plain {
            PlainReply::Reasoning("") | PlainReply::Content("") => return Self::default(),
            PlainReply::Reasoning(text) => (text, "", PartPosition::Reasoning(text.len())),
            PlainReply::Content(text) => ("", text, PartPosition::Content(text.len())),
        };
        Self {
            reasoning: reasoning.to_owned(),
            content: content.to_owned(),
            last: Some(last),
            ..Self::default()
        }
    }
}

#[cfg(feature = "parser")]
impl Sink for Reply {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        self.add(event);
    }

    // Each escape is a separate piece, and `add` is too long to be inlined.
    #[inline]
    fn arguments(&mut self, _index: usize, text: &str) {
        self.add_arguments(text);
    }
}

#[cfg(feature = "parser")]
impl ReplyCall {
    /// Reports that the call began, with its arguments so far.
    pub(super) fn begin(&self, sink: &mut impl Sink) {
        let Self { id, name, known, arguments, free_text, .. } = self;
        let (known, free_text) = (*known, *free_text);
        sink.event(Event::CallStarted { index: 0, id, name, known, free_text });
        if !arguments.is_empty() {
            sink.arguments(0, arguments);
        }
    }
}

impl ReplyCall {
    /// Deserializes the arguments into a Rust type. Numbers keep all their digits, as far as the
    /// type can hold them. A number whose fraction is zero, such as `3.0`, can be read as an
    /// integer.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::IncompleteCall`] if the call is not complete, and
    /// [`ErrorKind::Conversion`] if the arguments do not fit the type.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::{CallShape, JsonCall, Marker, ReplyFormat, Tools};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Weather {
    ///     city: String,
    /// }
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.tools = Some(Tools::new(CallShape::Json(JsonCall::default()))
    ///     .with_call("<call>", "</call>"));
    /// let parser = ReplyParser::new(format);
    /// let reply = parser.parse(r#"<call>{"name": "weather", "arguments": {"city": "Bonn"}}</call>"#);
    /// let weather: Weather = reply.calls()[0].arguments_as()?;
    /// assert_eq!(weather.city, "Bonn");
    /// # Ok::<_, prompty_core::Error>(())
    /// ```
    pub fn arguments_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let (name, json) = (&self.name, self.complete_arguments()?);
        lenient_integers::read(json, |json| serde_json::from_str(json)).map_err(|error| {
            let message =
                format!("the arguments of the call to `{name}` do not match the type: {error}");
            Error::new(ErrorKind::Conversion, message)
                .with_help("compare the type with the schema of the request")
        })
    }

    /// Parses the arguments into a value. Integers keep all their digits.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`ReplyCall::arguments_as`].
    pub fn arguments_value(&self) -> Result<Value, Error> {
        self.complete_arguments().and_then(Value::from_json)
    }

    fn complete_arguments(&self) -> Result<&str, Error> {
        if self.complete {
            return Ok(&self.arguments);
        }
        let message = format!("the call to `{}` is not complete", self.name);
        Err(Error::new(ErrorKind::IncompleteCall, message)
            .with_help("the reply ended inside it, or it is malformed; ask the model again"))
    }
}

impl From<&ReplyCall> for ToolCall {
    /// Converts the call into the form that a message of the conversation has.
    fn from(call: &ReplyCall) -> Self {
        let mut own = Self::new(call.id.as_str(), call.name.as_str(), call.arguments.as_str());
        own.free_text = call.free_text;
        own.provider.clone_from(&call.provider);
        own
    }
}

impl From<&Reply> for Message {
    /// Converts the reply into the assistant's message, in the order in which the model wrote it.
    /// Malformed text and incomplete calls are left out, because they cannot be written as calls. A
    /// refusal becomes a text of the assistant.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_reply as reply; }
    /// use typed_prompty::message::{Message, Role};
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    /// let message = Message::from(&ReplyParser::new(format).parse("<think>6 times 7.</think>42"));
    /// assert_eq!((message.role.clone(), message.content.len()), (Role::Assistant, 2));
    /// assert_eq!(message.text(), "42");
    /// ```
    fn from(reply: &Reply) -> Self {
        let content: Content = reply.parts().filter_map(to_content_part).collect();
        let message = Self::new(Role::Assistant, content);
        match reply.provider_metadata().phases.as_slice() {
            [phase] => message.with_metadata("phase", phase.as_str()),
            _ => message,
        }
    }
}

/// Converts a part of a reply into a part of a message. `None` if it is malformed or incomplete.
fn to_content_part(part: Part<'_>) -> Option<ContentPart> {
    match part {
        Part::Reasoning(text) => Some(ContentPart::Reasoning(text.to_owned())),
        Part::Content(text) | Part::Refusal(text) => Some(ContentPart::Text(text.to_owned())),
        // Without a type or with a role, it could be mistaken for another party's message.
        Part::Other(part) if part.kind().is_none_or(|kind| kind == "message") => None,
        Part::Other(part) if part.value.get("role").is_some() => None,
        Part::Other(part) => Some(ContentPart::Provider(part.clone())),
        Part::Call(call) if call.complete => Some(ContentPart::ToolCall(call.into())),
        Part::Call(_) | Part::Malformed(_) => None,
    }
}
