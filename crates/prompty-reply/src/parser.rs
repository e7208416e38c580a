//! The parser of replies: a format, tools and options, prepared once for many replies.

use std::sync::Arc;

use super::event::{Channel, Event, FinishReason};
use super::format::ReplyFormat;
use super::grammar::{GrammarOptions, GrammarRequest, ReplyGrammar, StartContext};
use super::layout::Slot;
use super::machine::{Machine, Program, ProgramRef};
use super::options::ReplyOptions;
use super::outcome::{Part, Reply};
use super::sink::{Masks, Sink, UnmaskingSink};
use super::stream::ReplyStream;
use prompty_core::error::Error;
use prompty_core::message::ToolSpec;

/// Reads replies of one format, complete or as streams. Cloning is cheap, and any thread can use
/// it.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::{Event, FinishReason, ReplyParser};
/// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
///
/// let mut format = ReplyFormat::plain();
/// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
/// let parser = ReplyParser::new(format);
///
/// let mut stream = parser.stream();
/// let mut content = String::new();
/// for piece in ["<thi", "nk>Easy.</", "think>4", "2"] {
///     for event in stream.push(piece) {
///         if let Event::Content { text } = event {
///             content.push_str(text);
///         }
///     }
/// }
/// stream.finish(FinishReason::End);
/// assert_eq!(content, "42");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ReplyParser {
    program: Arc<Program>,
    /// The machine at the start of the reply.
    start: Machine<'static>,
    /// Whether the machine has read a prompt tail. If not, the machine is new.
    has_read_prompt: bool,
    /// The beginning of the message, if the prompt contains it.
    continued: Reply,
}

impl ReplyParser {
    /// Creates a parser that accepts any tool name.
    pub fn new(format: ReplyFormat) -> Self {
        Self::at_tail(Arc::new(Program::new(format, None, ReplyOptions::default())), "", None)
    }

    /// Creates a parser of replies to a prompt with this tail. `masks` restores the data in place
    /// of placeholders in the tail.
    fn at_tail(program: Arc<Program>, tail: &str, masks: Option<Masks<'_>>) -> Self {
        let mut start = Machine::new(ProgramRef::Shared(Arc::clone(&program)));
        let mut continued = Reply::default();
        let sink = &mut continued;
        match masks {
            Some(masks) => start.read_prompt(tail, &mut UnmaskingSink { sink, masks }),
            None => start.read_prompt(tail, sink),
        }
        Self { program, start, has_read_prompt: !tail.is_empty(), continued }
    }

    /// Returns this parser for a request that offers `tools`. Their schemas give the types of the
    /// arguments. Calls of other tools are marked as unknown.
    pub fn with_tools(self, tools: &[ToolSpec]) -> Self {
        let Program { format, options, .. } = &*self.program;
        let program = Program::new(format.clone(), Some(tools.to_vec()), options.clone());
        Self::at_tail(Arc::new(program), "", None)
    }

    /// Returns this parser with other options.
    pub fn with_options(self, options: ReplyOptions) -> Self {
        let program =
            Program::new(self.program.format.clone(), self.program.known_tools.clone(), options);
        Self::at_tail(Arc::new(program), "", None)
    }

    /// Returns this parser for replies to a prompt with this tail. The tail is the text of the
    /// prompt after the opener of the assistant's turn. If the tail opens reasoning, the reply
    /// begins inside it.
    ///
    /// Call it last: [`ReplyParser::with_tools`] and [`ReplyParser::with_options`] discard the
    /// tail.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    /// let parser = ReplyParser::new(format).with_prompt_tail("<think>\n");
    /// assert_eq!(parser.parse("Easy.</think>42").reasoning(), "Easy.");
    /// ```
    pub fn with_prompt_tail(self, tail: &str) -> Self {
        Self::at_tail(self.program, tail, None)
    }

    /// Returns this parser for replies to a complete prompt, from any program. The tail begins
    /// after the last opener of an assistant's turn.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.turn.open = "<|assistant|>\n".into();
    /// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    /// let prompt = "<|user|>\n6 times 7?<|assistant|>\n<think>";
    /// let parser = ReplyParser::new(format).with_prompt(prompt);
    /// assert_eq!(parser.parse("Easy.</think>42").reasoning(), "Easy.");
    /// ```
    pub fn with_prompt(self, prompt: &str) -> Self {
        // The prompt may end with an opener whose white space is trimmed. The later opener has the
        // shorter tail.
        let opener = &self.program.format.turn.open;
        let openers = [&**opener, opener.trim_end()];
        let openers = openers.into_iter().filter(|opener| !opener.is_empty());
        let tails = openers.filter_map(|opener| Some(prompt.rsplit_once(opener)?.1));
        let tail = tails.min_by_key(|tail| tail.len()).unwrap_or_default();
        self.with_prompt_tail(tail)
    }

    /// Returns this parser for a tail in which placeholder words replace data that looks like
    /// markup. `placeholders` contains each placeholder and its data.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn with_masked_prompt_tail(self, tail: &str, placeholders: &[(String, String)]) -> Self {
        Self::at_tail(self.program, tail, Some(Masks::new(placeholders)))
    }

    /// Returns this parser for replies that begin with content, whatever the end of the prompt is.
    pub fn starting_in_content(self) -> Self {
        let format = &self.program.format;
        let tail = match format.headers {
            Some(_) => format.prompt_tail_before(&Slot::Content),
            // Without headers, a reply begins with content unless the prompt opens something else.
            None => String::new(),
        };
        self.with_prompt_tail(&tail)
    }

    /// Returns this parser for replies that begin inside reasoning, whatever the end of the prompt
    /// is.
    pub fn starting_in_reasoning(self) -> Self {
        let tail = self.program.format.prompt_tail_before(&Slot::Reasoning);
        self.with_prompt_tail(&tail)
    }

    /// Whether a reply begins inside reasoning.
    pub fn starts_in_reasoning(&self) -> bool {
        self.start.is_in_reasoning()
    }

    /// Creates a grammar that restricts the model to this format: to calls of the offered tools,
    /// and to the schema of the content. Returns `None` without tools and without a schema.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) in
    /// these cases: a grammar cannot express a schema, unless the options allow a wider one; the
    /// required tool is not offered; or the prompt ends in the middle of a call's arguments.
    pub fn grammar(&self, options: &GrammarOptions) -> Result<Option<ReplyGrammar>, Error> {
        let open_in_prompt = if self.start.is_in_reasoning() {
            StartContext::Reasoning
        } else if self.start.is_in_opened_content() {
            StartContext::Content
        } else {
            StartContext::Nothing
        };
        let request = GrammarRequest {
            format: &self.program.format,
            tools: self.program.known_tools.as_deref().unwrap_or_default(),
            content_schema: self.program.options.content_schema.as_ref(),
            options,
            calls_in_reasoning: self.program.options.calls_in_reasoning,
            open_in_prompt,
            unfinished_text: &self.start.unfinished_text(),
        };
        request.grammar()
    }

    /// The format of the replies.
    pub fn format(&self) -> &ReplyFormat {
        &self.program.format
    }

    /// The options of the parser.
    pub fn options(&self) -> &ReplyOptions {
        &self.program.options
    }

    /// Reads a complete reply that the model ended.
    pub fn parse(&self, text: &str) -> Reply {
        self.parse_finished(text, FinishReason::End)
    }

    /// Reads a complete reply that ended for the given reason. The reason decides whether a call at
    /// its end is complete.
    pub fn parse_finished(&self, text: &str, reason: FinishReason) -> Reply {
        // The common case is a short text without markers. The reason matters only for calls.
        if self.continued.is_empty()
            && let Some(plain) = self.start.read_plain(text)
        {
            return plain.into();
        }
        self.parse_by_machine(text, reason)
    }

    /// Not inlined, so that the common case does not reserve stack space for the rare one.
    #[inline(never)]
    fn parse_by_machine(&self, text: &str, reason: FinishReason) -> Reply {
        let mut reply = self.first_reply();
        self.read_into(text, reason, &mut reply);
        reply
    }

    /// Reads the beginning of a reply. Returns the part of it that later text cannot change.
    pub fn parse_partial(&self, text: &str) -> Reply {
        let mut reply = self.first_reply();
        self.machine(ProgramRef::Borrowed(&self.program)).push(text, &mut reply);
        reply
    }

    /// Creates a reader of a reply that arrives in chunks.
    pub fn stream(&self) -> ReplyStream {
        let program = ProgramRef::Shared(Arc::clone(&self.program));
        ReplyStream::new(self.machine(program), &self.first_reply())
    }

    /// Returns the pieces of a reply's text with their channels. The pieces add up to the text.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::{Channel, ReplyParser};
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    /// let regions = ReplyParser::new(format).regions("<think>Hm.</think>42");
    /// assert_eq!(regions[1], (Channel::Reasoning, "Hm.".to_owned()));
    /// ```
    #[doc(hidden)]
    pub fn regions(&self, text: &str) -> Vec<(Channel, String)> {
        let mut regions = RegionSink::default();
        self.read_into(text, FinishReason::End, &mut regions);
        regions.pieces
    }

    fn read_into(&self, text: &str, reason: FinishReason, sink: &mut impl Sink) {
        let mut machine = self.machine(ProgramRef::Borrowed(&self.program));
        machine.push(text, sink);
        machine.finish(reason, sink);
    }

    /// Returns a machine at the start of the reply: a copy of the one that has read the prompt, if
    /// there is one. Otherwise a new one for `program`, which is cheaper than a copy.
    fn machine<'program>(&self, program: ProgramRef<'program>) -> Machine<'program> {
        if self.has_read_prompt { self.start.clone() } else { Machine::new(program) }
    }

    /// The reply before any text is read. It is usually empty, and copying an empty reply costs
    /// time.
    #[inline]
    fn first_reply(&self) -> Reply {
        if self.continued.is_empty() { Reply::default() } else { self.continued_reply() }
    }

    /// Returns the beginning of the message that the prompt contains: its text, if the options ask
    /// for it, and its open call. Complete calls of the prompt are not repeated, because a program
    /// carries out the calls of a reply.
    fn continued_reply(&self) -> Reply {
        let mut first = Reply::default();
        let keeps_text = self.program.options.prepend_continued;
        // Only the last call can be open.
        let open_number = self.start.has_open_call().then(|| self.continued.calls().len());
        let mut number = 0;
        for part in self.continued.parts() {
            match part {
                Part::Reasoning(text) if keeps_text => first.add(Event::Reasoning { text }),
                Part::Content(text) if keeps_text => first.add(Event::Content { text }),
                Part::Call(call) => {
                    number += 1;
                    if open_number == Some(number) {
                        call.begin(&mut first);
                    }
                }
                _ => {}
            }
        }
        first
    }
}

/// Collects the pieces of a reply's text with their channels. Pieces of one channel are joined,
/// except for calls, so that consecutive calls stay apart.
#[derive(Debug, Default)]
struct RegionSink {
    pieces: Vec<(Channel, String)>,
}

impl Sink for RegionSink {
    fn event(&mut self, _: Event<'_>) {}

    fn read(&mut self, channel: Channel, text: &str) {
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == channel && channel != Channel::Call => {
                piece.push_str(text);
            }
            _ => self.pieces.push((channel, text.to_owned())),
        }
    }
}
