//! The state machine that reads replies, complete or in chunks.
//!
//! It is in one [`State`] at a time, and each state reads the start of the text. A state that
//! cannot decide yet waits: the text that it did not take is held, and is read again with the next
//! chunk. Held text is never longer than a marker, a name, a key, a number or a header, so the work
//! is proportional to the text. Decisions do not depend on where a chunk ends.
//!
//! The text of a call is kept until the call ends, because a malformed call is reported as one
//! text.
//!
//! The files of the states:
//! - `Text`: `text`, with `segment` and `markdown_fence`.
//! - `After` a part of a call: `walk`. `After` an opener of all calls, after a call, and `Recover`:
//!   `between_calls`.
//! - `In` the header of a message: `header`. `In` a call that is an object: `json_call`. `In` other
//!   arguments: `call_arguments` and `tagged_arguments`.
//! - The end of the reply: `finish`.
//!
//! [`State`] names the parts by their numbers in the [layout](super::layout), a tree of literals
//! and of slots for data. `call_path` knows which part may follow which, and `expected_markers`
//! which literals are searched for in each state.
//!
//! **Complete calls.** A call that is reported as complete must be right, because a service carries
//! it out. So every sign of damage makes a call malformed, even if a model may have meant the text
//! as data. A wrong call does more harm than a missing one. `walk` and `json_call` check names and
//! keys, `tagged_arguments` checks the ends of values, and `between_calls` checks whether more
//! arguments follow a superfluous bracket.
//!
//! **Markup without a call.** An opener or closer of a call that is markup is never content,
//! because a service shows content to people. Without a call, an opener is malformed. So is a
//! closer, except for a control token. If the text after an opener reads like a damaged call, it is
//! malformed, too.
//! Otherwise prose mentions the opener, and the rest of the prose is content. Reasoning may mention
//! markup: there both are text, unless a control token ends the reasoning.
//!
//! The table shows how one call is read in chunks. `After` names the last part of the layout that
//! was read, and `In` the part that is being read. A test prints the same table.
//!
//! | chunk | state | `held` | `raw` | events |
//! |---|---|---|---|---|
//! | `A<tool` | `Text` | `<tool` |  | `Content` `A` |
//! | `_call>{"na` | `In(Object)` | `"na` | `<tool_call>{` |  |
//! | `me": "f", "arg` | `In(Object)` | `"arg` | `<tool_call>{"name": "f", ` | `CallStarted` `f` |
//! | `uments": {"a"` | `In(Object)` |  | `<tool_call>{"name": "f", "arguments": {"a"` | `Arguments` `{"a"` |
//! | `: 1}}</tool` | `After(Object)` | `</tool` |  | `Arguments` `: 1}`, `CallEnded` |
//! | `_call>` | `After(Object)` |  |  |  |
//! | (end) | `Stopped` |  |  |  |

mod between_calls;
mod call;
mod call_arguments;
mod call_path;
mod call_state;
mod expected_markers;
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

use std::ops::Deref;
use std::sync::Arc;

use call_state::{CallData, CallState, Opening};
pub(super) use program::Program;
use segment::Segment;
use state::{State, Step};
pub(super) use text::PlainReply;

use super::event::Channel;
use super::layout::Slot;
use super::sink::{CountingSink, Sink, SkippingSink};
use prompty_core::work::add_steps;

/// The program of a machine. A machine that lives only as long as its parser borrows it: the
/// reference count would take as long as a short reply.
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

/// The maximum number of steps in sequence that take no text. No format needs as many; the limit
/// guarantees that the machine ends for every format.
const MOST_IDLE_STEPS: usize = 16;

/// A reader of one reply.
#[derive(Debug, Clone)]
pub(super) struct Machine<'program> {
    program: ProgramRef<'program>,
    state: State,
    /// Text that no state has decided about yet.
    held: String,
    /// The text of the call or header that is being read, or of a possible call.
    raw: String,
    /// Whether no more text follows the text that is being read.
    is_last: bool,
    prompt: PromptTail,
    segment: Segment,
    opening: Opening,
    call: CallState,
    /// What the states inside the call's data know.
    data: CallData,
}

/// The tail of the prompt, which is read before the reply.
#[derive(Debug, Clone, Copy, Default)]
struct PromptTail {
    /// Whether it is being read.
    is_read: bool,
    /// The number of its bytes that were not reported yet. They do not belong to the reply.
    bytes_left: usize,
}

impl<'program> Machine<'program> {
    /// Creates a machine at the start of a reply.
    pub(super) fn new(program: ProgramRef<'program>) -> Self {
        Self {
            state: program.start,
            held: String::new(),
            raw: String::new(),
            is_last: false,
            prompt: PromptTail::default(),
            segment: Segment::start(&program),
            opening: Opening::default(),
            call: CallState::default(),
            data: CallData::default(),
            program,
        }
    }

    /// Reads the tail of the prompt, from the start of the assistant's turn. The reply begins in
    /// the state in which the tail ends. So no option is needed that says whether the model thinks.
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
        // White space that waits for a marker belongs to the prompt, not to the reply.
        if self.state == State::Text && self.held.trim().is_empty() {
            let held = std::mem::take(&mut self.held);
            self.take_text(&held, &mut sink);
        }
        let forgotten = self.segment.forget_lead(&self.program);
        let bytes_left = tail.len().saturating_sub(sink.read + forgotten);
        self.prompt = PromptTail { is_read: false, bytes_left };
        // Calls of the prompt do not count, except for one that the reply continues.
        self.call.index = 0;
    }

    /// Whether the header of a message is being read.
    fn is_in_header(&self) -> bool {
        matches!(self.state, State::In(slot) if matches!(self.program.call_path.slot(slot), Some(Slot::Header(_))))
    }

    /// Whether a reported call is being read.
    pub(super) fn has_open_call(&self) -> bool {
        self.call.is_open
    }

    /// Whether reasoning is being read.
    pub(super) fn is_in_reasoning(&self) -> bool {
        self.state == State::Text && self.segment.is_reasoning
    }

    /// Whether content that a marker or a header opened is being read.
    pub(super) fn is_in_opened_content(&self) -> bool {
        self.state == State::Text && self.segment.is_opened_content()
    }

    /// The text so far of a marker, header or call that has not ended.
    pub(super) fn unfinished_text(&self) -> String {
        format!("{}{}", self.raw, self.held)
    }

    /// Reserves memory for held text of this length.
    pub(super) fn reserve_held(&mut self, length: usize) {
        self.held.reserve(length);
    }

    /// Reads the next chunk.
    pub(super) fn push(&mut self, text: &str, sink: &mut impl Sink) {
        if self.held.is_empty() {
            let rest = self.run(text, sink);
            self.held.push_str(rest);
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.push_str(text);
        add_steps(held.len());
        let rest = self.run(&held, sink).len();
        held.drain(..held.len() - rest);
        self.held = held;
    }

    /// Reads as far as can be decided, and returns the rest.
    fn run<'text>(&mut self, text: &'text str, sink: &mut impl Sink) -> &'text str {
        if self.prompt.bytes_left == 0 {
            return self.run_states(text, sink);
        }
        self.run_without_prompt(sink, |machine, sink| machine.run_states(text, sink))
    }

    /// Reads without reporting the rest of the prompt's tail.
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

    /// Makes steps until one waits for more text, or all text is taken. Returns the rest.
    fn run_states<'text>(&mut self, mut rest: &'text str, sink: &mut impl Sink) -> &'text str {
        // A step that takes no text changes the state.
        let mut idle_steps = 0;
        while !rest.is_empty() {
            let step = self.step(rest, sink);
            let taken = match step {
                Step::Take(0) if idle_steps < MOST_IDLE_STEPS => {
                    idle_steps += 1;
                    0
                }
                Step::Take(0) => {
                    let first = first_character(rest);
                    self.take_text(first, sink);
                    first.len()
                }
                Step::Take(taken) => {
                    idle_steps = 0;
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

    /// Makes the step of the current state at the start of the text.
    fn step(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        add_steps(1);
        match self.state {
            State::Text => self.step_text(rest, sink),
            State::After(at) => self.step_after(at, rest, sink),
            State::In(slot) => self.step_in(slot, rest, sink),
            State::Recover(reason) => self.step_recover(rest, reason, sink),
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

    /// Takes text that belongs to a call or its markup. Text of a call is kept until the call ends;
    /// markup between calls is reported.
    fn absorb(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        if self.opening.awaits_call || self.call.is_open {
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

/// The first character of a text, as a string.
fn first_character(text: &str) -> &str {
    text.split_inclusive(|_| true).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, FinishReason};
    use crate::events::EventBuffer;
    use crate::format::{CallShape, JsonCall, ReplyFormat, Tools};
    use crate::options::ReplyOptions;

    /// The name of the machine's state in the table of the module's documentation.
    fn state_name(machine: &Machine<'_>) -> String {
        let path = &machine.program.call_path;
        let part = |id| match (path.mark(id), path.slot(id)) {
            (Some(mark), _) => format!("{mark:?}"),
            (None, Some(slot)) => {
                format!("{slot:?}").chars().take_while(|it| it.is_alphabetic()).collect()
            }
            (None, None) => "start of call".to_owned(),
        };
        match machine.state {
            State::After(id) => format!("After({})", part(id)),
            State::In(id) => format!("In({})", part(id)),
            other => format!("{other:?}"),
        }
    }

    fn code(text: &str) -> String {
        if text.is_empty() { String::new() } else { format!("`{text}`") }
    }

    fn event_names(events: &EventBuffer) -> String {
        let names = events.events().map(|event| match event {
            Event::Content { text } => format!("`Content` {}", code(text)),
            Event::CallStarted { name, .. } => format!("`CallStarted` {}", code(name)),
            Event::Arguments { text, .. } => format!("`Arguments` {}", code(text)),
            Event::CallEnded { .. } => "`CallEnded`".to_owned(),
            other => format!("{other:?}"),
        });
        names.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn table_of_the_documentation_is_correct() {
        let mut format = ReplyFormat::plain();
        let tools = Tools::new(CallShape::Json(JsonCall::default()));
        format.tools = Some(tools.with_call("<tool_call>", "</tool_call>"));
        let program = Program::new(format, None, ReplyOptions::default());
        let mut machine = Machine::new(ProgramRef::Borrowed(&program));
        let mut table = vec![
            "| chunk | state | `held` | `raw` | events |".to_owned(),
            "|---|---|---|---|---|".to_owned(),
        ];
        let chunks = [r#"A<tool"#, r#"_call>{"na"#, r#"me": "f", "arg"#, r#"uments": {"a""#];
        for chunk in chunks.into_iter().chain([r#": 1}}</tool"#, r#"_call>"#, ""]) {
            let mut events = EventBuffer::new();
            match chunk {
                "" => machine.finish(FinishReason::End, &mut events),
                _ => machine.push(chunk, &mut events),
            }
            let chunk = if chunk.is_empty() { "(end)".to_owned() } else { code(chunk) };
            let state = format!("`{}`", state_name(&machine));
            let cells = [chunk, state, code(&machine.held), code(&machine.raw)];
            table.push(format!("| {} | {} |", cells.join(" | "), event_names(&events)));
        }
        let documentation = include_str!("mod.rs").lines();
        let rows = documentation.filter_map(|line| line.strip_prefix("//! "));
        let documented: Vec<&str> = rows.filter(|row| row.starts_with('|')).collect();
        assert_eq!(table.join("\n"), documented.join("\n"));
    }
}
