//! The arguments of a call as one literal: JSON, JSON inside a string, or assignments. They follow
//! a name in markup, or are the value of a key in a call that is an object.
//!
//! | arguments | read by |
//! |---|---|
//! | `{"a": 1}` or `a=1)` | `step_literal` |
//! | `"{\"a\": 1}"` | `step_literal_in_string`, which removes the escapes of the string |
//! | `"none"` | `step_invalid_string`: everything up to the quote is malformed |

use super::call_state::{CallData, LiteralQuotes, ObjectPosition};
use super::markers::StartMatch;
use super::{Machine, State, Step};
use crate::convert::{LiteralProgress, unescape};
use crate::event::Malformation;
use crate::format::CallIdPosition;
use crate::sink::Sink;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Reads arguments that are a literal or a string that contains one.
    pub(super) fn step_arguments(
        &mut self,
        quotes: LiteralQuotes,
        rest: &str,
        sink: &mut impl Sink,
    ) -> Step {
        match quotes {
            LiteralQuotes::Unquoted => self.step_literal(rest, sink),
            LiteralQuotes::String => self.step_literal_in_string(rest, sink),
            LiteralQuotes::InvalidString => {
                let (text, ended) = unescape(rest, |_| {});
                self.read_invalid_string(text, ended, sink)
            }
        }
    }

    fn step_literal(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Self { data, call, .. } = self;
        let piece = data.reader.read(rest, self.is_last, |piece| call.push_arguments(piece, sink));
        let taken = piece.read.len();
        self.raw.push_str(piece.read);
        match piece.progress {
            LiteralProgress::More => Step::Wait(taken),
            LiteralProgress::Done => {
                self.end_arguments();
                Step::Take(taken)
            }
            LiteralProgress::Unexpected => self.close_or_fail(piece.rest, taken, sink),
        }
    }

    /// Handles text that cannot be part of the arguments. At the end of the call, open brackets are
    /// closed.
    fn close_or_fail(&mut self, rest: &str, taken: usize, sink: &mut impl Sink) -> Step {
        match self.program.expected_markers.in_arguments.at_start(rest, self.is_last) {
            StartMatch::Wait => Step::Wait(taken),
            StartMatch::Found(..) => {
                let Self { data, call, .. } = self;
                // Empty brackets are not closed: in `{` and the end of the call, nothing shows that
                // the model meant a call without arguments.
                if data.reader.has_entries()
                    && data.reader.close(|piece| call.push_arguments(piece, sink))
                {
                    self.call.repaired = true;
                    self.end_arguments();
                } else {
                    self.fail(Malformation::WrongArguments, sink);
                }
                Step::Take(taken)
            }
            StartMatch::Nothing => {
                self.fail(Malformation::WrongArguments, sink);
                Step::Take(taken)
            }
        }
    }

    /// Reads arguments inside a JSON string.
    fn step_literal_in_string(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Self { data: CallData { reader, argument, .. }, call, .. } = self;
        // Tagged arguments need this buffer, and such a call has none.
        let unescaped = &mut argument.value;
        let (text, ended) = unescape(rest, |piece| unescaped.push_str(piece));
        add_steps(unescaped.len());
        let piece = reader.read(unescaped, ended, |piece| call.push_arguments(piece, sink));
        let (progress, read) = (piece.progress, piece.read.len());
        if progress == LiteralProgress::Unexpected {
            unescaped.clear();
            return self.read_invalid_string(text, ended, sink);
        }
        unescaped.drain(..read);
        self.raw.push_str(text);
        if !ended {
            return Step::Wait(text.len());
        }
        let is_complete = progress == LiteralProgress::Done && unescaped.trim().is_empty();
        unescaped.clear();
        if is_complete {
            self.end_arguments();
        } else {
            self.fail(Malformation::WrongArguments, sink);
        }
        Step::Take(text.len())
    }

    /// Reads the rest of a string without valid arguments. Everything up to its closing quote is
    /// data.
    fn read_invalid_string(&mut self, text: &str, ended: bool, sink: &mut impl Sink) -> Step {
        self.raw.push_str(text);
        self.data.quotes = Some(LiteralQuotes::InvalidString);
        if !ended {
            return Step::Wait(text.len());
        }
        self.fail(Malformation::WrongArguments, sink);
        Step::Take(text.len())
    }

    /// Ends complete arguments. What follows depends on the format:
    ///
    /// | after the arguments | example | completes the call |
    /// |---|---|---|
    /// | other keys of the object that is the call | `{"arguments": {}, "id": "1"}` | the end of that object |
    /// | an id | `{}<id>1` | the end of the id |
    /// | nothing | `{}` | this function |
    pub(super) fn end_arguments(&mut self) {
        self.call.has_arguments = true;
        self.data.quotes = None;
        if self.data.object.is_open() {
            self.data.object.position = ObjectPosition::CommaOrEnd;
            return;
        }
        match self.program.call_path.end_of_arguments().filter(|_| self.has_id_after_arguments()) {
            Some(end) => self.state = State::After(end),
            None => {
                self.state = self.state_between_calls();
                self.call.has_complete_arguments = true;
            }
        }
    }

    /// Whether an id may follow the arguments.
    fn has_id_after_arguments(&self) -> bool {
        let id = self.program.named().and_then(|call| call.id.as_ref());
        id.is_some_and(|id| id.position == CallIdPosition::PostArgs && !id.prefix.is_none())
    }
}
