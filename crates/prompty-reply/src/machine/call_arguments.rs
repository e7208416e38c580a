//! The arguments of a call whose name stands in markup: JSON, JSON inside a text, or assignments.

use super::call_state::{Data, Quotes};
use super::markers::AtStart;
use super::{Machine, State, Step};
use crate::convert::{Progress, unescape};
use crate::event::Malformation;
use crate::format::CallIdPosition;
use crate::sink::Sink;
use prompty_core::text::slice;
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
        let progress = data.reader.read(rest, last, |piece| call.arguments(piece, sink));
        match progress {
            Progress::More(taken) => {
                self.raw.push_str(slice(rest, ..taken));
                Step::Wait(taken)
            }
            Progress::Done(taken) => {
                self.raw.push_str(slice(rest, ..taken));
                self.arguments_are_whole();
                Step::Take(taken)
            }
            Progress::Unexpected(taken) => {
                self.raw.push_str(slice(rest, ..taken));
                self.unexpected(slice(rest, taken..), taken, last, sink)
            }
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
        let (taken, ended) = unescape(rest, |piece| held.push_str(piece));
        add_steps(held.len());
        let progress = reader.read(held, ended, |piece| call.arguments(piece, sink));
        let read = match progress {
            Progress::More(read) | Progress::Done(read) => read,
            Progress::Unexpected(_) => {
                held.clear();
                return self.wrong_text(rest, taken, ended, sink);
            }
        };
        held.drain(..read);
        self.raw.push_str(slice(rest, ..taken));
        if !ended {
            return Step::Wait(taken);
        }
        let whole = matches!(progress, Progress::Done(_)) && held.trim().is_empty();
        held.clear();
        if whole {
            self.arguments_are_whole();
        } else {
            self.fail(Malformation::WrongArguments, sink);
        }
        Step::Take(taken)
    }

    /// Reads the rest of a text that holds no arguments. Up to its closing quote it is data.
    fn step_wrong_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let (taken, ended) = unescape(rest, |_| {});
        self.wrong_text(rest, taken, ended, sink)
    }

    fn wrong_text(&mut self, rest: &str, taken: usize, ended: bool, sink: &mut impl Sink) -> Step {
        self.raw.push_str(slice(rest, ..taken));
        self.data.quotes = Some(Quotes::WrongText);
        if !ended {
            return Step::Wait(taken);
        }
        self.fail(Malformation::WrongArguments, sink);
        Step::Take(taken)
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
