//! The parser of replies: a format, tools and options, prepared once for many replies.

use std::sync::Arc;

use super::event::{Channel, Event, FinishReason};
use super::format::ReplyFormat;
use super::grammar::{GrammarOptions, Inside, ReplyGrammar, Request};
use super::layout::Slot;
use super::machine::{Machine, Program, ProgramRef};
use super::options::ReplyOptions;
use super::outcome::{Part, Reply};
use super::sink::Sink;
use super::sink::{Masks, UnmaskingSink};
use super::stream::ReplyStream;
use prompty_core::error::Error;
use prompty_core::message::ToolSpec;

/// Reads replies of one format, whole or as streams. Cloning is cheap, and a parser can be used from
/// any thread.
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
/// let mut said = String::new();
/// for piece in ["<thi", "nk>Easy.</", "think>4", "2"] {
///     for event in stream.push(piece) {
///         if let Event::Content { text } = event {
///             said.push_str(text);
///         }
///     }
/// }
/// stream.finish(FinishReason::End);
/// assert_eq!(said, "42");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ReplyParser {
    program: Arc<Program>,
    /// The machine at the start of the reply.
    start: Machine<'static>,
    /// Whether it has read the tail of a prompt; else it is new.
    is_led: bool,
    /// The beginning of the message, where the prompt has it.
    continued: Reply,
}

impl ReplyParser {
    /// A parser that takes any name for a tool's.
    pub fn new(format: ReplyFormat) -> Self {
        Self::build(Program::new(format, None, ReplyOptions::default()), "")
    }

    fn build(program: Program, tail: &str) -> Self {
        let program = Arc::new(program);
        let mut start = Machine::new(ProgramRef::Shared(Arc::clone(&program)));
        let mut continued = Reply::default();
        start.read_prompt(tail, &mut continued);
        Self { program, start, is_led: !tail.is_empty(), continued }
    }

    /// The same parser for a request that offers these tools. Their schemas say of what kind arguments
    /// are. Calls of other tools are marked as unknown.
    pub fn with_tools(self, tools: &[ToolSpec]) -> Self {
        let program = Program::new(
            self.program.format.clone(),
            Some(tools.to_vec()),
            self.program.options.clone(),
        );
        Self::build(program, "")
    }

    /// The same parser with other options.
    pub fn with_options(self, options: ReplyOptions) -> Self {
        let program =
            Program::new(self.program.format.clone(), self.program.known_tools.clone(), options);
        Self::build(program, "")
    }

    /// The same parser for replies to a prompt with this tail: the text of the prompt behind the opener
    /// of the assistant's turn. Where that opens reasoning, the reply begins inside of it.
    ///
    /// Call it last: [`ReplyParser::with_tools`] and [`ReplyParser::with_options`] forget the tail.
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
        let mut start = Machine::new(ProgramRef::Shared(Arc::clone(&self.program)));
        let mut continued = Reply::default();
        start.read_prompt(tail, &mut continued);
        Self { start, is_led: !tail.is_empty(), continued, ..self }
    }

    /// The same parser for replies to a whole prompt, which any program may have made. Its tail begins
    /// behind its last opener of an assistant's turn.
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
        let opener = &self.program.format.turn.open;
        let openers = [&**opener, opener.trim_end()];
        let openers = openers.into_iter().filter(|opener| !opener.is_empty());
        let tails = openers.filter_map(|opener| Some(prompt.rsplit_once(opener)?.1));
        let tail = tails.min_by_key(|tail| tail.len()).unwrap_or_default();
        self.with_prompt_tail(tail)
    }

    /// The same for a tail in which words stand for data that spells markup.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn behind_data(self, tail: &str, texts: &[(String, String)]) -> Self {
        let mut start = Machine::new(ProgramRef::Shared(Arc::clone(&self.program)));
        let mut continued = Reply::default();
        let masks = Masks::new(texts);
        start.read_prompt(tail, &mut UnmaskingSink { sink: &mut continued, masks });
        Self { start, is_led: !tail.is_empty(), continued, ..self }
    }

    /// The same parser for replies that begin with content, whatever the prompt's end says.
    pub fn starting_in_content(self) -> Self {
        let format = &self.program.format;
        let tail = match format.headers {
            Some(_) => format.in_front_of(&Slot::Content),
            None => String::new(),
        };
        self.with_prompt_tail(&tail)
    }

    /// The same parser for replies that begin inside of reasoning, whatever the prompt's end says.
    pub fn starting_in_reasoning(self) -> Self {
        let tail = self.program.format.in_front_of(&Slot::Reasoning);
        self.with_prompt_tail(&tail)
    }

    /// Whether a reply begins inside of reasoning.
    pub fn starts_in_reasoning(&self) -> bool {
        self.start.is_in_reasoning()
    }

    /// A grammar that holds the model to this format: to calls of the tools that are offered, and to
    /// the schema of the content. Nothing where there is neither.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) where a schema demands what a grammar cannot
    /// say, unless that may be widened, where the tool that has to be called is not offered, and where
    /// the prompt ends in the middle of a call's arguments.
    pub fn grammar(&self, options: &GrammarOptions) -> Result<Option<ReplyGrammar>, Error> {
        let inside = if self.start.is_in_reasoning() {
            Inside::Reasoning
        } else if self.start.is_in_opened_content() {
            Inside::Content
        } else {
            Inside::Nothing
        };
        let request = Request {
            format: &self.program.format,
            tools: self.program.known_tools.as_deref().unwrap_or_default(),
            content_schema: self.program.options.content_schema.as_ref(),
            options,
            calls_in_reasoning: self.program.options.calls_in_reasoning,
            inside,
            begun: &self.start.begun(),
        };
        request.grammar()
    }

    /// How the model writes.
    pub fn format(&self) -> &ReplyFormat {
        &self.program.format
    }

    /// How replies are read.
    pub fn options(&self) -> &ReplyOptions {
        &self.program.options
    }

    /// Reads a whole reply that the model ended.
    pub fn parse(&self, text: &str) -> Reply {
        self.parse_finished(text, FinishReason::End)
    }

    /// Reads a whole reply that ended for some reason.
    pub fn parse_finished(&self, text: &str, reason: FinishReason) -> Reply {
        if self.continued.is_empty()
            && let Some(plain) = self.start.plain(text)
        {
            return plain.into();
        }
        self.parse_by_machine(text, reason)
    }

    /// Not inlined: what few replies need would make room on the stack for all.
    #[inline(never)]
    fn parse_by_machine(&self, text: &str, reason: FinishReason) -> Reply {
        let mut reply = self.first_reply();
        self.read_into(text, reason, &mut reply);
        reply
    }

    /// Reads a reply whose end is still to come: what is sure of it so far.
    pub fn parse_partial(&self, text: &str) -> Reply {
        let mut reply = self.first_reply();
        self.machine(ProgramRef::Borrowed(&self.program)).push(text, &mut reply);
        reply
    }

    /// A reader of a reply that comes in pieces.
    pub fn stream(&self) -> ReplyStream {
        ReplyStream::new(
            self.machine(ProgramRef::Shared(Arc::clone(&self.program))),
            &self.first_reply(),
        )
    }

    /// The pieces of a reply's text and what each was read as: the text, byte for byte.
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
        let mut regions = Regions::default();
        self.read_into(text, FinishReason::End, &mut regions);
        regions.pieces
    }

    fn read_into(&self, text: &str, reason: FinishReason, sink: &mut impl Sink) {
        let mut machine = self.machine(ProgramRef::Borrowed(&self.program));
        machine.push(text, sink);
        machine.finish(reason, sink);
    }

    /// A machine that stands where the reply begins. A new one costs less than a copy.
    fn machine<'program>(&self, program: ProgramRef<'program>) -> Machine<'program> {
        if self.is_led { self.start.clone() } else { Machine::new(program) }
    }

    /// The reply before anything of it was read: mostly nothing, which takes long enough to copy.
    #[inline]
    fn first_reply(&self) -> Reply {
        if self.continued.is_empty() { Reply::default() } else { self.continued_reply() }
    }

    /// What the prompt has of the message, where that is asked for, and the call that the prompt has
    /// begun.
    fn continued_reply(&self) -> Reply {
        let mut first = Reply::default();
        let keeps_text = self.program.options.prepend_continued;
        let open_call = self.start.has_open_call().then(|| self.continued.calls().len());
        let mut calls = 0;
        for part in self.continued.parts() {
            match part {
                Part::Reasoning(text) if keeps_text => first.add(Event::Reasoning { text }),
                Part::Content(text) if keeps_text => first.add(Event::Content { text }),
                Part::Call(call) => {
                    calls += 1;
                    if open_call == Some(calls) {
                        call.begin(&mut first);
                    }
                }
                _ => {}
            }
        }
        first
    }
}

/// Collects the pieces of a reply's text, and what each was read as.
#[derive(Debug, Default)]
struct Regions {
    pieces: Vec<(Channel, String)>,
}

impl Sink for Regions {
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
