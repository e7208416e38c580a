//! The one machine that reads replies, whole or piece by piece.
//!
//! It is in one [`State`] at a time, and each state reads what stands at the text's start. A state
//! that cannot decide yet waits: what it did not take is held, and comes again with more behind it.
//! What is held is never longer than a marker, a name, a key, a number or a header, so all the work is
//! in proportion to the text. Where a piece ends decides nothing, so it never matters how a reply is
//! cut into pieces.
//!
//! The text of a call is kept until the call ends: where it is malformed, it is reported as a whole.

mod call;
mod call_arguments;
mod call_state;
mod finish;
mod header;
mod json_call;
mod markdown_fence;
mod markers;
mod program;
mod section;
mod segment;
mod tagged_arguments;
mod text;
mod walk;
mod ways;

use std::ops::Deref;
use std::sync::Arc;

use call_state::{Argument, Call, CallObject};
use markdown_fence::MarkdownFence;
pub(super) use program::Program;
use segment::Segment;
pub(super) use text::Plain;

use super::convert::{LiteralReader, Notation};
use super::event::{Channel, Malformation};
use super::layout::LeafId;
use super::sink::{CountingSink, Sink, SkippingSink};
use prompty_core::text::slice;
use prompty_core::work::add_steps;

/// What the machine is reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Reasoning or content.
    Text,
    /// The header of a message.
    Header,
    /// Between calls, or behind the opener of them all.
    Section,
    /// Behind the opener of one call.
    CallHead,
    /// Behind a part of a named call.
    Behind(LeafId),
    /// The data of a slot of a named call.
    In(LeafId),
    /// Arguments as a literal.
    Literal,
    /// Arguments as a text that holds JSON.
    LiteralInText,
    /// The rest of a text that should hold arguments and does not.
    WrongText,
    /// A call as a JSON object.
    CallObject,
    /// A call that went wrong, up to where it ends.
    Recover(Malformation),
    /// Nothing more is read.
    Stopped,
}

/// What a state did with the text that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It took so many bytes, or changed the state.
    Take(usize),
    /// It took so many bytes, and needs more text for the next.
    Wait(usize),
}

/// The program of a machine. To count its owners takes as long as to read a short reply, so a machine
/// that lives no longer than its parser borrows it.
#[derive(Debug, Clone)]
pub(super) enum ProgramRef<'program> {
    Borrowed(&'program Program),
    Shared(Arc<Program>),
}

impl Deref for ProgramRef<'_> {
    type Target = Program;

    #[inline]
    fn deref(&self) -> &Program {
        match self {
            Self::Borrowed(program) => program,
            Self::Shared(program) => program,
        }
    }
}

/// A reader of one reply.
#[derive(Debug, Clone)]
pub(super) struct Machine<'program> {
    program: ProgramRef<'program>,
    state: State,
    /// Text that is not decided yet.
    held: String,
    segment: Segment,
    /// Whether the text is the prompt's own tail.
    in_prompt: bool,
    /// How many bytes of that tail are not reported yet. They are not the reply's.
    prompt_bytes_left: usize,
    /// The text of the call that is being read, or of what may become one.
    raw: String,
    /// Whether an opener was read, and no call yet.
    awaits_call: bool,
    /// Whether that opener is a control token, which is never text.
    opener_is_control: bool,
    /// Whether no marker stands in front of the call.
    is_bare: bool,
    /// Whether calls stand in a list that was opened.
    in_list: bool,
    call: Call,
    object: CallObject,
    argument: Argument,
    reader: LiteralReader,
    header: String,
    fence: MarkdownFence,
}

impl<'program> Machine<'program> {
    /// A machine at a reply's start.
    pub(super) fn new(program: ProgramRef<'program>) -> Self {
        Self {
            state: if program.begins_in_header { State::Header } else { State::Text },
            held: String::new(),
            segment: Segment::start(&program),
            in_prompt: false,
            prompt_bytes_left: 0,
            raw: String::new(),
            awaits_call: false,
            opener_is_control: false,
            is_bare: false,
            in_list: false,
            call: Call::default(),
            object: CallObject::default(),
            argument: Argument::default(),
            reader: LiteralReader::value(Notation::default()),
            header: String::new(),
            fence: MarkdownFence::default(),
            program,
        }
    }

    /// Reads the tail of the prompt, from the start of the assistant's turn on. The reply begins in the
    /// state in which that ends.
    pub(super) fn read_prompt(&mut self, tail: &str, sink: &mut impl Sink) {
        self.in_prompt = true;
        // A machine that begins inside a header has read its opener.
        let opener = self.program.format.headers.as_ref().map(|headers| &*headers.open.text);
        let tail = match (self.state, opener) {
            (State::Header, Some(opener)) => tail.strip_prefix(opener).unwrap_or(tail),
            _ => tail,
        };
        let mut sink = CountingSink { sink, read: 0 };
        self.push(tail, &mut sink);
        // White space that waits for a marker is the prompt's, not the reply's.
        if self.state == State::Text && self.held.trim().is_empty() {
            let held = std::mem::take(&mut self.held);
            self.text(&held, &mut sink);
        }
        let forgotten = self.segment.forget_lead(&self.program);
        self.prompt_bytes_left = tail.len().saturating_sub(sink.read + forgotten);
        self.in_prompt = false;
        // Calls of the prompt do not count, except for one that the reply goes on with.
        self.call.restart_index();
    }

    /// Whether it reads a call that has been reported.
    pub(super) fn has_open_call(&self) -> bool {
        self.call.is_open()
    }

    /// Whether it reads reasoning.
    pub(super) fn is_in_reasoning(&self) -> bool {
        self.state == State::Text && self.segment.is_reasoning
    }

    /// Whether it reads content that a marker or a header opened.
    pub(super) fn is_in_opened_content(&self) -> bool {
        self.state == State::Text && self.segment.is_opened_content()
    }

    /// The text so far of a marker, a header or a call that has not ended.
    pub(super) fn begun(&self) -> String {
        let begun = match self.state {
            State::Text => "",
            State::Header => &self.header,
            _ => &self.raw,
        };
        format!("{begun}{}", self.held)
    }

    /// Makes room for the held text of pieces of a length.
    pub(super) fn expect_pieces(&mut self, length: usize) {
        self.held.reserve(length);
    }

    /// Reads on.
    pub(super) fn push(&mut self, text: &str, sink: &mut impl Sink) {
        if self.held.is_empty() {
            let taken = self.run(text, false, sink);
            if taken < text.len() {
                self.held.push_str(slice(text, taken..));
            }
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.push_str(text);
        add_steps(held.len());
        let taken = self.run(&held, false, sink);
        held.drain(..taken);
        self.held = held;
    }

    /// Reads as far as can be decided; with `last` no more text will come.
    fn run(&mut self, text: &str, last: bool, sink: &mut impl Sink) -> usize {
        if self.prompt_bytes_left == 0 {
            return self.run_states(text, last, sink);
        }
        self.run_without_prompt(sink, |machine, sink| machine.run_states(text, last, sink))
    }

    /// Reads, and leaves the rest of the prompt's tail out of what is reported.
    fn run_without_prompt<T>(
        &mut self,
        sink: &mut impl Sink,
        read: impl FnOnce(&mut Self, &mut SkippingSink<'_>) -> T,
    ) -> T {
        let reports_prompt = self.program.options.prepend_continued;
        let mut sink = SkippingSink { sink, left: self.prompt_bytes_left, reports_prompt };
        let result = read(self, &mut sink);
        self.prompt_bytes_left = sink.left;
        result
    }

    fn run_states(&mut self, text: &str, last: bool, sink: &mut impl Sink) -> usize {
        let mut at = 0;
        // A step that takes no text changes the state, and no state is entered twice without text
        // in between. The count makes sure of that for every format.
        let mut idle = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            match self.step(rest, last, sink) {
                Step::Take(0) if idle < 16 => idle += 1,
                Step::Take(0) => {
                    let first = rest.chars().next().map_or(0, char::len_utf8);
                    self.text(slice(rest, ..first), sink);
                    at += first;
                }
                Step::Take(taken) => {
                    at += taken;
                    idle = 0;
                }
                Step::Wait(taken) => return at + taken,
            }
        }
        at
    }

    fn step(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        add_steps(1);
        match self.state {
            State::Text => self.step_text(rest, last, sink),
            State::Header => self.step_header(rest, last, sink),
            State::Section => self.step_section(rest, last, sink),
            State::CallHead => self.step_call_head(rest, sink),
            State::Behind(at) => self.step_behind(at, rest, last, sink),
            State::In(slot) => self.step_in(slot, rest, last, sink),
            State::Literal => self.step_literal(rest, last, sink),
            State::LiteralInText => self.step_literal_in_text(rest, sink),
            State::WrongText => self.step_wrong_text(rest, sink),
            State::CallObject => self.step_object(rest, last, sink),
            State::Recover(reason) => self.step_recover(rest, last, reason, sink),
            State::Stopped => {
                sink.read(Channel::Markup, rest);
                Step::Take(rest.len())
            }
        }
    }

    /// Changes the state without taking text.
    fn enter(&mut self, state: State) -> Step {
        self.state = state;
        Step::Take(0)
    }

    /// Takes text that belongs to a call or its markup.
    fn absorb(&mut self, text: &str, sink: &mut impl Sink) -> usize {
        add_steps(text.len());
        if self.awaits_call || self.call.is_open() {
            self.raw.push_str(text);
        } else {
            sink.read(Channel::Markup, text);
        }
        text.len()
    }

    /// Takes the start of `rest`, which belongs to a call or its markup, and enters a state.
    fn absorb_to(&mut self, rest: &str, length: usize, state: State, sink: &mut impl Sink) -> Step {
        self.absorb(slice(rest, ..length), sink);
        self.state = state;
        Step::Take(length)
    }
}

/// How much white space a text begins with.
fn leading_ascii_space(text: &str) -> usize {
    let length = text.len() - text.trim_ascii_start().len();
    add_steps(length);
    length
}
