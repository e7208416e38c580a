//! The arguments of a call whose name stands in markup: JSON, JSON inside a text, or assignments.

use super::markers::{AtStart, Match, match_mark};
use super::program::Action;
use super::{Machine, State, Step, leading_ascii_space};
use crate::reply::convert::{LiteralReader, Notation, Progress, unescape};
use crate::reply::event::Malformation;
use crate::reply::format::{Arguments, CallIdPosition};
use crate::reply::sink::Sink;
use prompty_core::text::slice;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Reads the start of the arguments.
    pub(super) fn step_arguments(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let space = leading_ascii_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::Arguments, sink);
        }
        let Some(call) = self.program.named() else { return self.enter(State::Section) };
        match &call.arguments {
            Arguments::Json => {}
            Arguments::Tagged { .. } | Arguments::Nested { .. } => {
                return self.enter(State::BetweenArguments);
            }
            Arguments::Literal { open, quote, close, .. } => match match_mark(open, rest) {
                Match::Full(length) => {
                    let close = close.bytes().next().unwrap_or(b')');
                    let notation = Notation { quote: quote.clone(), close };
                    self.reader = LiteralReader::assignments(notation);
                    self.call.arguments("{", sink);
                    return self.absorb_to(rest, length, State::Literal, sink);
                }
                Match::Partial if !last => return Step::Wait(0),
                _ => {}
            },
        }
        // The suffix of the name may stand behind an id, too.
        match match_mark(&call.suffix.text.text, rest) {
            Match::Full(length) if !call.suffix.text.is_none() => {
                return self.absorb_to(rest, length, State::Arguments, sink);
            }
            Match::Partial if !call.suffix.text.is_none() && !last => return Step::Wait(0),
            _ => {}
        }
        self.json_arguments(rest, last, sink)
    }

    /// Reads the start of arguments that are JSON, or the end of a call that has none.
    pub(super) fn json_arguments(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        if rest.starts_with('{') {
            self.reader = LiteralReader::object();
            return self.enter(State::Literal);
        }
        if rest.starts_with('"') {
            self.reader = LiteralReader::object();
            return self.absorb_to(rest, 1, State::LiteralInText, sink);
        }
        match self.program.argument_markers.at_start(rest, last) {
            AtStart::Wait => Step::Wait(0),
            AtStart::Found(..) => {
                self.end_call_without_arguments(sink);
                self.after_call(State::AfterArguments)
            }
            AtStart::Nothing => self.fail(Malformation::WrongArguments, sink),
        }
    }

    /// Reads arguments that are a literal.
    pub(super) fn step_literal(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Self { reader, call, .. } = self;
        let progress = reader.read(rest, last, |piece| call.arguments(piece, sink));
        match progress {
            Progress::More(taken) => {
                self.raw.push_str(slice(rest, ..taken));
                Step::Wait(taken)
            }
            Progress::Done(taken) => {
                self.raw.push_str(slice(rest, ..taken));
                self.arguments_are_whole(sink);
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
    pub(super) fn unexpected(
        &mut self,
        rest: &str,
        taken: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        match self.program.argument_markers.at_start(rest, last) {
            AtStart::Wait => Step::Wait(taken),
            AtStart::Found(..) => {
                let Self { reader, call, .. } = self;
                if reader.close(|piece| call.arguments(piece, sink)) {
                    self.call.mended = true;
                    self.arguments_are_whole(sink);
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
    pub(super) fn step_literal_in_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Self { reader, call, argument, .. } = self;
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
            self.arguments_are_whole(sink);
        } else {
            self.fail(Malformation::WrongArguments, sink);
        }
        Step::Take(taken)
    }

    /// Reads the rest of a text that holds no arguments. Up to its closing quote it is data.
    pub(super) fn step_wrong_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let (taken, ended) = unescape(rest, |_| {});
        self.wrong_text(rest, taken, ended, sink)
    }

    fn wrong_text(&mut self, rest: &str, taken: usize, ended: bool, sink: &mut impl Sink) -> Step {
        self.raw.push_str(slice(rest, ..taken));
        self.state = State::WrongText;
        if !ended {
            return Step::Wait(taken);
        }
        self.fail(Malformation::WrongArguments, sink);
        Step::Take(taken)
    }

    /// Ends complete arguments.
    pub(super) fn arguments_are_whole(&mut self, sink: &mut impl Sink) {
        self.call.has_arguments = true;
        if self.object.is_open() {
            self.object.value_is_whole();
            self.state = State::CallObject;
            return;
        }
        self.state = State::AfterArguments;
        if !self.has_id_behind() {
            self.end_call(sink);
        }
    }

    fn has_id_behind(&self) -> bool {
        let id = self.program.named().and_then(|call| call.id.as_ref());
        id.is_some_and(|id| id.position == CallIdPosition::PostArgs && !id.prefix.is_none())
    }

    /// Reads what stands behind the arguments.
    pub(super) fn step_after_arguments(
        &mut self,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let space = leading_ascii_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::AfterArguments, sink);
        }
        if self.call.is_open() {
            let prefix = self.program.named().and_then(|call| Some(&call.id.as_ref()?.prefix.text));
            match prefix.map_or(Match::No, |prefix| match_mark(prefix, rest)) {
                Match::Full(length) => return self.absorb_to(rest, length, State::IdBehind, sink),
                Match::Partial if !last => return Step::Wait(0),
                _ => self.end_call(sink),
            }
            return Step::Take(0);
        }
        match self.program.argument_markers.at_start(rest, last) {
            AtStart::Wait => Step::Wait(0),
            AtStart::Found(Action::CloseNamed, length) => {
                self.absorb_to(rest, length, State::AfterArguments, sink)
            }
            AtStart::Found(Action::CloseCall, length) => {
                self.absorb_to(rest, length, State::Section, sink)
            }
            _ => self.enter(State::Section),
        }
    }

    /// Enters a state behind a call, unless reading has stopped.
    pub(super) fn after_call(&mut self, state: State) -> Step {
        if self.state == State::Stopped {
            return Step::Take(0);
        }
        self.enter(state)
    }
}
