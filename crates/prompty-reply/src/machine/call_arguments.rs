//! The arguments of a call whose name stands in markup: JSON, JSON inside a text, or assignments.

use super::call_state::{Data, Quotes};
use super::markers::AtStart;
use super::{Machine, State, Step};
use crate::convert::{Progress, unescape};
use crate::event::Malformation;
use crate::format::CallIdPosition;
use crate::sink::Sink;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Reads arguments that are a literal, or a text that holds one.
    pub(super) fn step_arguments(
        &mut self,
        quotes: Quotes,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        match quotes {
            Quotes::None => self.step_literal(rest, last, sink),
            Quotes::Text => self.step_literal_in_text(rest, sink),
            Quotes::WrongText => self.step_wrong_text(rest, sink),
        }
    }

    fn step_literal(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Self { data, call, .. } = self;
        let piece = data.reader.read(rest, last, |piece| call.arguments(piece, sink));
        let taken = piece.read.len();
        self.raw.push_str(piece.read);
        match piece.progress {
            Progress::More => Step::Wait(taken),
            Progress::Done => {
                self.arguments_are_whole();
                Step::Take(taken)
            }
            Progress::Unexpected => self.unexpected(piece.rest, taken, last, sink),
        }
    }

    /// Goes on where something stands that arguments cannot hold. At the end of the call, the brackets
    /// that are open are closed.
    fn unexpected(&mut self, rest: &str, taken: usize, last: bool, sink: &mut impl Sink) -> Step {
        match self.program.watched.in_arguments.at_start(rest, last) {
            AtStart::Wait => Step::Wait(taken),
            AtStart::Found(..) => {
                let Self { data, call, .. } = self;
                // Where nothing stands in the brackets, the arguments stand elsewhere.
                if data.reader.has_entries()
                    && data.reader.close(|piece| call.arguments(piece, sink))
                {
                    self.call.mended = true;
                    self.arguments_are_whole();
                } else {
                    self.fail(Malformation::WrongArguments, sink);
                }
                Step::Take(taken)
            }
            AtStart::Nothing => {
                self.fail(Malformation::WrongArguments, sink);
                Step::Take(taken)
            }
        }
    }

    /// Reads arguments inside a JSON text.
    fn step_literal_in_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Self { data: Data { reader, argument, .. }, call, .. } = self;
        let held = &mut argument.value;
        let (text, ended) = unescape(rest, |piece| held.push_str(piece));
        add_steps(held.len());
        let piece = reader.read(held, ended, |piece| call.arguments(piece, sink));
        let (progress, read) = (piece.progress, piece.read.len());
        if progress == Progress::Unexpected {
            held.clear();
            return self.wrong_text(text, ended, sink);
        }
        held.drain(..read);
        self.raw.push_str(text);
        if !ended {
            return Step::Wait(text.len());
        }
        let whole = progress == Progress::Done && held.trim().is_empty();
        held.clear();
        if whole {
            self.arguments_are_whole();
        } else {
            self.fail(Malformation::WrongArguments, sink);
        }
        Step::Take(text.len())
    }

    /// Reads the rest of a text that holds no arguments. Up to its closing quote it is data.
    fn step_wrong_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let (text, ended) = unescape(rest, |_| {});
        self.wrong_text(text, ended, sink)
    }

    fn wrong_text(&mut self, text: &str, ended: bool, sink: &mut impl Sink) -> Step {
        self.raw.push_str(text);
        self.data.quotes = Some(Quotes::WrongText);
        if !ended {
            return Step::Wait(text.len());
        }
        self.fail(Malformation::WrongArguments, sink);
        Step::Take(text.len())
    }

    /// Ends complete arguments.
    pub(super) fn arguments_are_whole(&mut self) {
        self.call.has_arguments = true;
        self.data.quotes = None;
        if self.data.object.is_open() {
            return self.data.object.value_is_whole();
        }
        match self.program.ways.end_of_arguments().filter(|_| self.has_id_behind()) {
            Some(end) => self.state = State::Behind(end),
            None => {
                self.state = self.between_calls();
                self.call.is_whole = true;
            }
        }
    }

    fn has_id_behind(&self) -> bool {
        let id = self.program.named().and_then(|call| call.id.as_ref());
        id.is_some_and(|id| id.position == CallIdPosition::PostArgs && !id.prefix.is_none())
    }

    /// Enters a state behind a call, unless reading has stopped.
    pub(super) fn after_call(&mut self, state: State) -> Step {
        if self.state == State::Stopped {
            return Step::Take(0);
        }
        self.enter(state)
    }
}
