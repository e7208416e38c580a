//! A reply as a value: its reasoning, its content and its calls.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::event::{Event, FinishReason, Malformation};
#[cfg(feature = "parser")]
use super::machine::Plain;
use super::received::{NOTHING, Received, Usage};
#[cfg(feature = "parser")]
use super::sink::Sink;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{
    Content, ContentPart, Message, ProviderFields, ProviderPart, Role, ToolCall,
};
use prompty_core::value::Value;
use prompty_core::whole_numbers;

/// What a model answered.
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
    /// What came when: for texts, where they end.
    #[serde(skip)]
    order: Vec<Piece>,
    /// What came last; most replies are no more than this.
    #[serde(skip)]
    last: Option<Piece>,
    /// What only providers tell.
    #[serde(flatten)]
    received: Option<Box<Received>>,
    /// The other replies, if several were asked for.
    #[serde(skip)]
    alternatives: Vec<Reply>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Reasoning(usize),
    Content(usize),
    Call(usize),
    Malformed(usize),
    Refusal(usize),
    Other(usize),
    /// Texts behind it are of another phase, as providers tell it.
    Phase(usize),
}

/// A call of a tool in a reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct ReplyCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, valid where the call is complete. Numbers are as the model wrote
    /// them.
    pub arguments: String,
    /// Its id; empty where the model gave none.
    pub id: String,
    /// Whether it is whole. A call that is not must not be carried out.
    pub complete: bool,
    /// Whether the tool was offered.
    #[serde(skip)]
    pub known: bool,
    /// Whether braces that the model left open were closed for it.
    #[serde(skip)]
    pub mended: bool,
    /// Whether the arguments are free text and no JSON, as some providers have such tools.
    #[serde(skip)]
    pub free_text: bool,
    /// What only the provider says of the call and wants back with it, such as a signature. Events do not tell it.
    #[serde(skip)]
    pub provider: Option<Box<ProviderFields>>,
}

/// Text in the place of a call that is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Malformed {
    /// All of it, as the model wrote it.
    pub text: String,
    /// What is wrong with it.
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
    /// Text in the place of a call that is none.
    Malformed(&'reply Malformed),
    /// Words in which the model refuses to answer.
    Refusal(&'reply str),
    /// What only the provider understands.
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

    /// The content as a Rust type, where it is JSON.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] where it is no JSON, or does not fit the type.
    pub fn content_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        whole_numbers::read(&self.content, |json| serde_json::from_str(json)).map_err(|error| {
            Error::new(ErrorKind::Conversion, format!("the content does not fit: {error}"))
                .with_help("give the parser the schema that the model was given")
        })
    }

    /// The calls, in order.
    pub fn calls(&self) -> &[ReplyCall] {
        &self.calls
    }

    /// What stands in the place of calls and is none.
    pub fn malformed(&self) -> &[Malformed] {
        &self.malformed
    }

    /// The parts in the order in which the model wrote them.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.placed_parts().map(|(_, part)| part)
    }

    /// The parts in the order in which the model wrote them, each with the index of its phase.
    fn placed_parts(&self) -> impl Iterator<Item = (Option<usize>, Part<'_>)> {
        let (mut reasoning, mut content, mut refused) = (0, 0, 0);
        // What stands in front of all texts is of the first phase.
        let mut phase = (!self.received().phases.is_empty()).then_some(0);
        self.order.iter().chain(&self.last).filter_map(move |piece| {
            let part = match *piece {
                Piece::Reasoning(end) => {
                    let start = std::mem::replace(&mut reasoning, end);
                    Part::Reasoning(self.reasoning.get(start..end)?)
                }
                Piece::Content(end) => {
                    let start = std::mem::replace(&mut content, end);
                    Part::Content(self.content.get(start..end)?)
                }
                Piece::Call(index) => Part::Call(self.calls.get(index)?),
                Piece::Malformed(index) => Part::Malformed(self.malformed.get(index)?),
                Piece::Refusal(end) => {
                    let start = std::mem::replace(&mut refused, end);
                    Part::Refusal(self.refusal()?.get(start..end)?)
                }
                Piece::Other(index) => Part::Other(self.others().get(index)?),
                Piece::Phase(index) => {
                    phase = Some(index);
                    return None;
                }
            };
            Some((phase, part))
        })
    }

    /// The words in which the model refused to answer, where its provider tells them apart. Where the provider
    /// only says that it refused, [`finish_reason`](Self::finish_reason) does.
    pub fn refusal(&self) -> Option<&str> {
        self.received().refusal.as_deref()
    }

    /// What only the provider understands, in order: signed reasoning, searches that it ran itself, kinds of
    /// items that are newer than this library. [`Message::from`] takes it over, since the provider may want it
    /// back.
    pub fn others(&self) -> &[ProviderPart] {
        &self.received().others
    }

    /// Why the reply ended, where a provider told it.
    pub fn finish_reason(&self) -> Option<FinishReason> {
        self.received().finish_reason
    }

    /// Why it is no answer: the model refused, or a filter of the provider stopped it.
    pub(crate) fn why_refused(&self) -> Option<String> {
        match (self.refusal(), self.finish_reason()) {
            (Some(refusal), _) => Some(format!("the model refused: {refusal}")),
            (None, Some(FinishReason::Refused)) => Some("the model refused".to_owned()),
            (None, Some(FinishReason::Filtered)) => {
                Some("the provider's filter stopped the answer".to_owned())
            }
            _ => None,
        }
    }

    /// Why the reply ended, in the provider's word.
    pub fn finish_word(&self) -> Option<&str> {
        self.received().finish_word.as_deref()
    }

    /// The text at which the reply was stopped, where the provider tells it.
    pub fn stop_sequence(&self) -> Option<&str> {
        self.received().stop_sequence.as_deref()
    }

    /// How many tokens it took, where a provider told it.
    pub fn usage(&self) -> Option<&Usage> {
        self.received().usage.as_ref()
    }

    /// The provider's id of the reply.
    pub fn id(&self) -> Option<&str> {
        self.received().id.as_deref()
    }

    /// The model that answered, as the provider names it.
    pub fn model(&self) -> Option<&str> {
        self.received().model.as_deref()
    }

    /// The other replies, where several were asked for.
    pub fn alternatives(&self) -> &[Self] {
        &self.alternatives
    }

    fn received(&self) -> &Received {
        self.received.as_deref().unwrap_or(&NOTHING)
    }

    /// Adds another reply to the same request, for `prompty-wire`.
    #[doc(hidden)]
    pub fn add_alternative(&mut self, reply: Self) {
        self.alternatives.push(reply);
    }

    /// What only providers tell, to be filled in by `prompty-wire`.
    #[doc(hidden)]
    pub fn received_mut(&mut self) -> &mut Received {
        self.received.get_or_insert_default()
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
                let end = self.reasoning.len();
                match &mut self.last {
                    Some(Piece::Reasoning(last)) => *last = end,
                    _ => self.begin(Piece::Reasoning(end)),
                }
            }
            Event::Content { text } => {
                self.content.push_str(text);
                let end = self.content.len();
                match &mut self.last {
                    Some(Piece::Content(last)) => *last = end,
                    _ => self.begin(Piece::Content(end)),
                }
            }
            Event::CallStarted { id, name, known, free_text, .. } => {
                let (id, name) = (id.to_owned(), name.to_owned());
                self.begin_call(ReplyCall { name, id, known, free_text, ..ReplyCall::default() });
            }
            Event::Arguments { text, .. } => self.add_arguments(text),
            Event::CallEnded { id, complete, mended, .. } => {
                if let Some(call) = self.calls.last_mut() {
                    if call.id.is_empty() {
                        id.clone_into(&mut call.id);
                    }
                    call.complete = complete;
                    call.mended = mended;
                }
            }
            Event::Malformed { text, reason } => {
                self.begin(Piece::Malformed(self.malformed.len()));
                self.malformed.push(Malformed { text: text.to_owned(), reason });
            }
            Event::Refusal { text } => {
                let refusal = self.received_mut().refusal.get_or_insert_default();
                refusal.push_str(text);
                let end = refusal.len();
                match &mut self.last {
                    Some(Piece::Refusal(last)) => *last = end,
                    _ => self.begin(Piece::Refusal(end)),
                }
            }
            Event::Other { protocol, json } => {
                // JSON that is too deep to be read is kept as its text.
                let value = Value::from_json(json).unwrap_or_else(|_| Value::from(json));
                let others = &mut self.received_mut().others;
                others.push(ProviderPart::new(protocol, value));
                let index = others.len() - 1;
                self.begin(Piece::Other(index));
            }
        }
    }

    /// Adds arguments to the call that began last.
    #[inline]
    fn add_arguments(&mut self, text: &str) {
        if let Some(call) = self.calls.last_mut() {
            call.arguments.push_str(text);
        }
    }

    /// Adds content, whose text is taken over, for `prompty-wire`.
    #[doc(hidden)]
    pub fn take_content(&mut self, text: String) {
        match self.content.is_empty() && !text.is_empty() {
            true => {
                self.content = text;
                self.add(Event::Content { text: "" });
            }
            false => self.add(Event::Content { text: &text }),
        }
    }

    /// Begins a phase, unless it is the one that the texts are of. Texts without a phase have an empty word.
    ///
    /// For `prompty-wire`.
    #[doc(hidden)]
    pub fn begin_phase(&mut self, word: &str) {
        let is_first_text = self.content.is_empty();
        let phases = &mut self.received_mut().phases;
        if phases.last().map_or("", String::as_str) == word {
            return;
        }
        if phases.is_empty() && !is_first_text {
            phases.push(String::new());
        }
        phases.push(word.to_owned());
        let index = phases.len() - 1;
        self.begin(Piece::Phase(index));
    }

    /// Begins a call, for `prompty-wire`.
    #[doc(hidden)]
    pub fn begin_call(&mut self, call: ReplyCall) {
        self.begin(Piece::Call(self.calls.len()));
        self.calls.push(call);
    }

    /// A call, for `prompty-wire` to note what events do not tell.
    #[doc(hidden)]
    pub fn call_mut(&mut self, index: usize) -> Option<&mut ReplyCall> {
        self.calls.get_mut(index)
    }

    /// The reply as messages of the assistant, in order: one, as [`Message::from`] gives it, unless its provider
    /// tells phases apart, such as comments on the way and the final answer. Then each has one, with its phase in
    /// the metadata, as the provider wants it back.
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
        let phases = &self.received().phases;
        let mut parts = self.placed_parts().peekable();
        let mut messages = Vec::new();
        loop {
            let phase = parts.peek().and_then(|(phase, _)| *phase);
            let mut same = Vec::new();
            while let Some((_, part)) = parts.next_if(|(of, _)| *of == phase) {
                same.extend(self::part(part));
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

    /// Notes a piece behind the last one.
    fn begin(&mut self, piece: Piece) {
        self.order.extend(self.last.replace(piece));
    }
}

#[cfg(feature = "parser")]
impl From<Plain<'_>> for Reply {
    fn from(plain: Plain<'_>) -> Self {
        let (reasoning, content, last) = match plain {
            Plain::Reasoning("") | Plain::Content("") => return Self::default(),
            Plain::Reasoning(text) => (text, "", Piece::Reasoning(text.len())),
            Plain::Content(text) => ("", text, Piece::Content(text.len())),
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

    // Each escape is a piece, and `add` is too long to be inlined.
    #[inline]
    fn arguments(&mut self, _index: usize, text: &str) {
        self.add_arguments(text);
    }
}

#[cfg(feature = "parser")]
impl ReplyCall {
    /// Tells that it began, with its arguments so far.
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
    /// The arguments as a Rust type. Numbers keep all their digits, as far as the type has room; a
    /// number whose fraction is zero, such as `3.0`, is an integer where one is wanted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::IncompleteCall`] where the call is not complete; [`ErrorKind::Conversion`] where
    /// the arguments do not fit the type.
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
        whole_numbers::read(self.complete_arguments()?, |json| serde_json::from_str(json)).map_err(
            |error| {
                let message = format!("the arguments of `{}` do not fit: {error}", self.name);
                Error::new(ErrorKind::Conversion, message)
                    .with_help("compare the type with the schema that the model was given")
            },
        )
    }
}

impl ReplyCall {
    /// The arguments as a value; whole numbers keep all their digits.
    ///
    /// # Errors
    ///
    /// As [`ReplyCall::arguments_as`].
    pub fn arguments_value(&self) -> Result<Value, Error> {
        self.complete_arguments().and_then(Value::from_json)
    }

    fn complete_arguments(&self) -> Result<&str, Error> {
        if self.complete {
            return Ok(&self.arguments);
        }
        let message = format!("the call of `{}` is not complete", self.name);
        Err(Error::new(ErrorKind::IncompleteCall, message)
            .with_help("the reply ended inside it, or it is malformed; ask the model again"))
    }
}

impl From<&ReplyCall> for ToolCall {
    /// The call as it stands in a message of the conversation.
    fn from(call: &ReplyCall) -> Self {
        let mut own = Self::new(call.id.as_str(), call.name.as_str(), call.arguments.as_str());
        own.free_text = call.free_text;
        own.provider.clone_from(&call.provider);
        own
    }
}

impl From<&Reply> for Message {
    /// The reply as the assistant's message of the conversation, in the order in which the model
    /// wrote it. What is malformed or not complete is left out: there is no way to write it as a
    /// call. A refusal is a text of the assistant.
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
        let message =
            Self::new(Role::Assistant, reply.parts().filter_map(part).collect::<Content>());
        match reply.received().phases.as_slice() {
            [phase] => message.with_metadata("phase", phase.as_str()),
            _ => message,
        }
    }
}

/// A part of a reply as one of a message. What is malformed or not complete is none.
fn part(part: Part<'_>) -> Option<ContentPart> {
    match part {
        Part::Reasoning(text) => Some(ContentPart::Reasoning(text.to_owned())),
        Part::Content(text) | Part::Refusal(text) => Some(ContentPart::Text(text.to_owned())),
        // What has no type, or a role, cannot be told from a message of somebody else.
        Part::Other(part) if part.kind().is_none_or(|kind| kind == "message") => None,
        Part::Other(part) if part.value.get("role").is_some() => None,
        Part::Other(part) => Some(ContentPart::Provider(part.clone())),
        Part::Call(call) if call.complete => Some(ContentPart::ToolCall(call.into())),
        Part::Call(_) | Part::Malformed(_) => None,
    }
}
