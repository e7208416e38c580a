//! The one machine that reads replies, whole or piece by piece.
//!
//! It is in one [`State`] at a time, and each state reads what stands at the text's start. A state
//! that cannot decide yet waits: what it did not take is held, and comes again with more behind it.
//! What is held is never longer than a marker, a name, a key, a number or a header, so all the work is
//! in proportion to the text. Where a piece ends decides nothing, so it never matters how a reply is
//! cut into pieces.
//!
//! The text of a call is kept until the call ends: where it is malformed, it is reported as a whole.

mod between_calls;
mod call;
mod call_arguments;
mod call_state;
mod finish;
mod header;
mod json_call;
mod markdown_fence;
mod markers;
mod program;
mod segment;
mod state;
mod tagged_arguments;
mod text;
mod walk;
mod watched;
mod ways;

use std::ops::Deref;
use std::sync::Arc;

use call_state::{Call, Data, Opening};
pub(super) use program::Program;
use segment::Segment;
use state::{State, Step};
pub(super) use text::Plain;

use super::event::Channel;
use super::layout::Slot;
use super::sink::{CountingSink, Sink, SkippingSink};
use prompty_core::work::add_steps;

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
    /// The text of the call or the header that is being read, or of what may become a call.
    raw: String,
    prompt: PromptTail,
    segment: Segment,
    opening: Opening,
    call: Call,
    data: Data,
}

/// The tail of the prompt, which is read in front of the reply.
#[derive(Debug, Clone, Copy, Default)]
struct PromptTail {
    /// Whether it is being read.
    is_read: bool,
    /// How many bytes of it are not reported yet. They are not the reply's.
    bytes_left: usize,
}

impl<'program> Machine<'program> {
    /// A machine at a reply's start.
    pub(super) fn new(program: ProgramRef<'program>) -> Self {
        Self {
            state: program.start,
            held: String::new(),
            raw: String::new(),
            prompt: PromptTail::default(),
            segment: Segment::start(&program),
            opening: Opening::default(),
            call: Call::default(),
            data: Data::default(),
            program,
        }
    }

    /// Reads the tail of the prompt, from the start of the assistant's turn on. The reply begins in the
    /// state in which that ends.
    pub(super) fn read_prompt(&mut self, tail: &str, sink: &mut impl Sink) {
        self.prompt.is_read = true;
        // A machine that begins inside a header has read its opener.
        let opener = self.program.format.headers.as_ref().map(|headers| &*headers.open.text);
        let tail = match (self.is_in_header(), opener) {
            (true, Some(opener)) => tail.strip_prefix(opener).unwrap_or(tail),
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
        let bytes_left = tail.len().saturating_sub(sink.read + forgotten);
        self.prompt = PromptTail { is_read: false, bytes_left };
        // Calls of the prompt do not count, except for one that the reply goes on with.
        self.call.restart_index();
    }

    /// Whether it reads the header of a message.
    fn is_in_header(&self) -> bool {
        matches!(self.state, State::In(slot) if matches!(self.program.ways.slot(slot), Some(Slot::Header(_))))
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
        format!("{}{}", self.raw, self.held)
    }

    /// Makes room for the held text of pieces of a length.
    pub(super) fn expect_pieces(&mut self, length: usize) {
        self.held.reserve(length);
    }

    /// Reads on.
    pub(super) fn push(&mut self, text: &str, sink: &mut impl Sink) {
        if self.held.is_empty() {
            let rest = self.run(text, false, sink);
            self.held.push_str(rest);
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.push_str(text);
        add_steps(held.len());
        let rest = self.run(&held, false, sink).len();
        held.drain(..held.len() - rest);
        self.held = held;
    }

    /// Reads as far as can be decided and returns the rest. With `last` no more text will come.
    fn run<'text>(&mut self, text: &'text str, last: bool, sink: &mut impl Sink) -> &'text str {
        if self.prompt.bytes_left == 0 {
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
        let mut sink = SkippingSink { sink, left: self.prompt.bytes_left, reports_prompt };
        let result = read(self, &mut sink);
        self.prompt.bytes_left = sink.left;
        result
    }

    fn run_states<'text>(
        &mut self,
        mut rest: &'text str,
        last: bool,
        sink: &mut impl Sink,
    ) -> &'text str {
        // A step that takes no text changes the state, and no state is entered twice without text
        // in between. The count makes sure of that for every format.
        let mut idle = 0;
        while !rest.is_empty() {
            let step = self.step(rest, last, sink);
            let taken = match step {
                Step::Take(0) if idle < 16 => {
                    idle += 1;
                    0
                }
                Step::Take(0) => {
                    let first = first_character(rest);
                    self.text(first, sink);
                    first.len()
                }
                Step::Take(taken) => {
                    idle = 0;
                    taken
                }
                Step::Wait(taken) => taken,
            };
            let Some(after) = rest.get(taken..) else { break };
            rest = after;
            if matches!(step, Step::Wait(_)) {
                break;
            }
        }
        rest
    }

    fn step(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        add_steps(1);
        match self.state {
            State::Text => self.step_text(rest, last, sink),
            State::Behind(at) => self.step_behind(at, rest, last, sink),
            State::In(slot) => self.step_in(slot, rest, last, sink),
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
    fn absorb(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        if self.opening.awaits_call || self.call.is_open() {
            self.raw.push_str(text);
        } else {
            sink.read(Channel::Markup, text);
        }
    }

    /// Takes text that belongs to a call or its markup, and enters a state.
    fn absorb_to(&mut self, text: &str, state: State, sink: &mut impl Sink) -> Step {
        self.absorb(text, sink);
        self.state = state;
        Step::Take(text.len())
    }
}

/// The first character of a text, as a text.
fn first_character(text: &str) -> &str {
    text.split_inclusive(|_| true).next().unwrap_or_default()
}
