//! Calls whose name stands in markup: name, id, and the start and end of the arguments.

use super::program::Action;
use super::watch::{Here, Match, Seen, match_mark};
use super::{Machine, State, Step, leading_space};
use crate::reply::convert::{LiteralReader, Notation, Progress, unescape};
use crate::reply::event::{Malformation, Sink};
use crate::reply::format::{Arguments, CallIdPosition, Marker, NamePlace, NamedCall};
use prompty_core::text::slice;

/// The longest name, id or word in markup.
const LONGEST_NAME: usize = 512;

impl Machine<'_> {
    /// Reads the name of a call.
    pub(super) fn step_name(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let space = leading_space(rest);
        if space > 0 && !self.call.id.is_empty() {
            return self.absorb_to(rest, space, State::Name, sink);
        }
        let Some(call) = self.program.named() else { return self.enter(State::Section) };
        // A name may end at the suffix's first byte, but for one that names can hold.
        let stop = call.suffix.text.text.bytes().next().unwrap_or(b'<');
        let end = rest.bytes().position(|byte| {
            byte == stop || byte.is_ascii_whitespace() || b"<>{}[]()\"'".contains(&byte)
        });
        let end = match end {
            Some(end) if end <= LONGEST_NAME => end,
            Some(_) => 0,
            None if rest.len() > LONGEST_NAME => 0,
            None if !last => return Step::Wait(0),
            None => rest.len(),
        };
        if end == 0 {
            return if self.raw_is_only_name_place() {
                self.reject_or_fail(sink)
            } else {
                self.fail(Malformation::NoName, sink)
            };
        }
        let name = slice(rest, ..end);
        self.set_name(name);
        // An id that is a count alone names no tool.
        if self.call.name.is_empty() {
            return self.fail(Malformation::NoName, sink);
        }
        self.absorb_to(rest, end, State::NameSuffix, sink)
    }

    /// Whether nothing but an opener of words has been read: then it may be talk about calls.
    fn raw_is_only_name_place(&self) -> bool {
        self.pending && !self.opener_is_control
    }

    fn reject_or_fail(&mut self, sink: &mut impl Sink) -> Step {
        self.reject(sink);
        Step::Take(0)
    }

    /// Reads what stands behind the name.
    pub(super) fn step_name_suffix(
        &mut self,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let space = leading_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::NameSuffix, sink);
        }
        let Some(call) = self.program.named() else { return self.enter(State::Section) };
        if let Some(prefix) = between_prefix(call) {
            match match_mark(&prefix.text, rest) {
                Match::Full(length) => return self.absorb_to(rest, length, State::IdBetween, sink),
                Match::Partial if !last => return Step::Wait(0),
                _ => {}
            }
        }
        match match_mark(&call.suffix.text.text, rest) {
            Match::Full(length) if call.suffix.hint.is_some() => {
                self.absorb_to(rest, length, State::NameHint, sink)
            }
            Match::Full(length) => {
                self.absorb(slice(rest, ..length), sink);
                self.begin_call(sink);
                self.state = State::Arguments;
                Step::Take(length)
            }
            Match::Partial if !last => Step::Wait(0),
            // The suffix is missing; what follows may be the arguments all the same.
            _ => match self.what_goes_on(rest, last) {
                Here::Wait => Step::Wait(0),
                Here::Nothing => self.reject_or_recover(sink),
                Here::Found(..) => {
                    self.begin_call(sink);
                    self.enter(State::Arguments)
                }
            },
        }
    }

    /// Whether arguments or a call's end stand at the text's start.
    fn what_goes_on(&self, rest: &str, last: bool) -> Here<()> {
        match self.program.gap.here(rest, last) {
            _ if rest.starts_with(['{', '(']) => Here::Found((), 1),
            Here::Found(_, length) => Here::Found((), length),
            Here::Wait => Here::Wait,
            Here::Nothing => Here::Nothing,
        }
    }

    fn reject_or_recover(&mut self, sink: &mut impl Sink) -> Step {
        if self.raw_is_only_name_place() {
            self.reject(sink);
            return Step::Take(0);
        }
        self.fail(Malformation::WrongMarkup, sink)
    }

    /// Reads a word in the markup behind the name.
    pub(super) fn step_name_hint(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let call = self.program.named();
        let hint = call.and_then(|call| call.suffix.hint.as_ref());
        let found = hint.map_or(Mark::Missing, |hint| find_mark(&hint.end, rest, last));
        let (word, end) = match found {
            Mark::At(start, length) => (slice(rest, ..start), start + length),
            Mark::Wait => return Step::Wait(0),
            Mark::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        // An id that stands in the name's place goes on with its count.
        if let Some(call) = call.filter(|call| call.name == NamePlace::Id) {
            self.call.id.push_str(&call.suffix.text.text);
            self.call.id.push_str(word.trim());
        }
        self.absorb(slice(rest, ..end), sink);
        self.begin_call(sink);
        self.state = State::Arguments;
        Step::Take(end)
    }

    /// Reads an id in markup, wherever it stands.
    pub(super) fn step_id(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Some((call, id)) =
            self.program.named().and_then(|call| Some((call, call.id.as_ref()?)))
        else {
            return self.enter(State::Section);
        };
        let suffix = if id.suffix.is_none() { &call.suffix.text } else { &id.suffix };
        let position = id.position;
        let has_prefix = !id.prefix.is_none();
        let is_named_next = call.prefix.is_none();
        let found = match (position, id.suffix.is_none()) {
            (CallIdPosition::PostArgs, true) => self.call_end(rest, last),
            _ => find_mark(suffix, rest, last),
        };
        let (end, length) = match found {
            Mark::At(end, length) => (end, length),
            Mark::Wait => return Step::Wait(0),
            Mark::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        self.call.id = slice(rest, ..end).trim().to_owned();
        self.absorb(slice(rest, ..end + length), sink);
        match position {
            CallIdPosition::PreFuncName if !has_prefix && is_named_next => self.state = State::Name,
            CallIdPosition::PreFuncName => self.state = State::CallHead,
            CallIdPosition::BetweenFuncAndArgs => {
                self.begin_call(sink);
                self.state = State::Arguments;
            }
            CallIdPosition::PostArgs => {
                self.end_call(sink);
                if self.state != State::Stopped {
                    self.state = State::AfterArguments;
                }
            }
        }
        Step::Take(end + length)
    }

    /// Where a call ends whose id stands last in it.
    fn call_end(&self, rest: &str, last: bool) -> Mark {
        match self.program.gap.scan(rest, last) {
            Seen::Found { start, .. } if start <= LONGEST_NAME => Mark::At(start, 0),
            Seen::Sure(_) if rest.len() <= LONGEST_NAME && last => Mark::At(rest.len(), 0),
            Seen::Sure(_) if rest.len() <= LONGEST_NAME => Mark::Wait,
            _ => Mark::Missing,
        }
    }

    /// Reads the start of the arguments.
    pub(super) fn step_arguments(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let space = leading_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::Arguments, sink);
        }
        let Some(call) = self.program.named() else { return self.enter(State::Section) };
        match &call.arguments {
            Arguments::Json => {}
            Arguments::Tagged { .. } | Arguments::Nested { .. } => {
                return self.enter(State::Gap);
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
        match self.program.gap.here(rest, last) {
            Here::Wait => Step::Wait(0),
            Here::Found(..) => {
                self.end_call_without_arguments(sink);
                self.after_call(State::AfterArguments)
            }
            Here::Nothing => self.fail(Malformation::WrongArguments, sink),
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

    /// Reads on behind what the arguments cannot hold: at the call's end, what is open is closed.
    pub(super) fn unexpected(
        &mut self,
        rest: &str,
        taken: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        match self.program.gap.here(rest, last) {
            Here::Wait => Step::Wait(taken),
            Here::Found(..) => {
                let Self { reader, call, .. } = self;
                if reader.close(|piece| call.arguments(piece, sink)) {
                    self.call.mended = true;
                    self.arguments_are_whole(sink);
                } else {
                    self.fail(Malformation::WrongArguments, sink);
                }
                Step::Take(taken)
            }
            Here::Nothing => {
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

    /// Reads on in a text that holds no arguments: what is in it is data up to its closing quote.
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

    /// Goes on behind arguments that are whole.
    pub(super) fn arguments_are_whole(&mut self, sink: &mut impl Sink) {
        self.call.has_arguments = true;
        if self.object.is_open() {
            self.object.value_is_whole();
            self.state = State::Object;
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
        let space = leading_space(rest);
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
        match self.program.gap.here(rest, last) {
            Here::Wait => Step::Wait(0),
            Here::Found(Action::CloseNamed, length) => {
                self.absorb_to(rest, length, State::AfterArguments, sink)
            }
            Here::Found(Action::CloseCall, length) => {
                self.absorb_to(rest, length, State::Section, sink)
            }
            _ => self.enter(State::Section),
        }
    }

    /// Enters a state behind a call, unless nothing more is to be read.
    pub(super) fn after_call(&mut self, state: State) -> Step {
        if self.state == State::Stopped {
            return Step::Take(0);
        }
        self.enter(state)
    }
}

/// What stands in front of an id between name and arguments.
fn between_prefix(call: &NamedCall) -> Option<&Marker> {
    let id = call.id.as_ref()?;
    let is_between = id.position == CallIdPosition::BetweenFuncAndArgs;
    (is_between && !id.prefix.is_none()).then_some(&id.prefix)
}

/// Where a marker stands behind a name, an id or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// There, and it is so long.
    At(usize, usize),
    /// More text will tell.
    Wait,
    /// Nowhere near.
    Missing,
}

/// Where a marker stands in a text, no farther than names are long. The marker that is none stands in
/// front of the first white space.
pub(super) fn find_mark(marker: &Marker, text: &str, last: bool) -> Mark {
    let missing = if last || text.len() > LONGEST_NAME { Mark::Missing } else { Mark::Wait };
    let Some(first) = marker.text.chars().next() else {
        let mut near = text.bytes().take(LONGEST_NAME + 1);
        let space = near.position(|byte| byte.is_ascii_whitespace());
        return space.map_or(missing, |at| Mark::At(at, 0));
    };
    for (at, _) in text.match_indices(first).take_while(|(at, _)| *at <= LONGEST_NAME) {
        match match_mark(&marker.text, slice(text, at..)) {
            Match::Full(length) => return Mark::At(at, length),
            Match::Partial if !last => return Mark::Wait,
            Match::Partial | Match::No => {}
        }
    }
    missing
}
