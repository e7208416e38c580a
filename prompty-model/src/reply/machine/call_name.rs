//! Calls whose name stands in markup: the name, a word behind it, and the id.

use super::markers::{AtStart, LONGEST_NAME, MarkerPlace, Match, Search, find_marker, match_mark};
use super::{Machine, State, Step, leading_ascii_space};
use crate::reply::event::Malformation;
use crate::reply::format::{CallIdPosition, Marker, NamePlace, NamedCall};
use crate::reply::sink::Sink;
use prompty_core::text::slice;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Reads the name of a call.
    pub(super) fn step_name(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let space = leading_ascii_space(rest);
        if space > 0 && !self.call.id.is_empty() {
            return self.absorb_to(rest, space, State::Name, sink);
        }
        let Some(call) = self.program.named() else { return self.enter(State::Section) };
        // A name ends at white space, at brackets and quotes, and at the suffix.
        let stop = call.suffix.text.text.bytes().next().unwrap_or(b'<');
        let end = rest.bytes().position(|byte| {
            byte == stop || byte.is_ascii_whitespace() || b"<>{}[]()\"'".contains(&byte)
        });
        add_steps(end.unwrap_or(rest.len()));
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
        // An id that is only a count names no tool.
        if self.call.name.is_empty() {
            return self.fail(Malformation::NoName, sink);
        }
        self.absorb_to(rest, end, State::NameSuffix, sink)
    }

    /// Whether only an opener has been read, and that can be text: the model may talk about calls.
    fn raw_is_only_name_place(&self) -> bool {
        self.awaits_call && !self.opener_is_control
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
        let space = leading_ascii_space(rest);
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
            // The suffix is missing. The arguments may follow all the same.
            _ => match self.what_goes_on(rest, last) {
                AtStart::Wait => Step::Wait(0),
                AtStart::Nothing => self.reject_or_recover(sink),
                AtStart::Found(..) => {
                    self.begin_call(sink);
                    self.enter(State::Arguments)
                }
            },
        }
    }

    /// Whether arguments or a call's end stand at the text's start.
    fn what_goes_on(&self, rest: &str, last: bool) -> AtStart<()> {
        match self.program.argument_markers.at_start(rest, last) {
            _ if rest.starts_with(['{', '(']) => AtStart::Found((), 1),
            AtStart::Found(_, length) => AtStart::Found((), length),
            AtStart::Wait => AtStart::Wait,
            AtStart::Nothing => AtStart::Nothing,
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
        let found = hint.map_or(MarkerPlace::Missing, |hint| find_marker(&hint.end, rest, last));
        let (word, end) = match found {
            MarkerPlace::At(start, length) => (slice(rest, ..start), start + length),
            MarkerPlace::Wait => return Step::Wait(0),
            MarkerPlace::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        // Where the id stands in the place of the name, the word is its count.
        if let Some(call) = call.filter(|call| call.name == NamePlace::Id) {
            self.call.id.push_str(&call.suffix.text.text);
            self.call.id.push_str(word.trim());
        }
        self.absorb(slice(rest, ..end), sink);
        self.begin_call(sink);
        self.state = State::Arguments;
        Step::Take(end)
    }

    /// Reads an id in markup, in front of the name, behind it or behind the arguments.
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
            _ => find_marker(suffix, rest, last),
        };
        let (end, length) = match found {
            MarkerPlace::At(end, length) => (end, length),
            MarkerPlace::Wait => return Step::Wait(0),
            MarkerPlace::Missing => return self.fail(Malformation::WrongMarkup, sink),
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

    /// The end of a call that ends with its id.
    fn call_end(&self, rest: &str, last: bool) -> MarkerPlace {
        match self.program.argument_markers.search(rest, last) {
            Search::Found { start, .. } if start <= LONGEST_NAME => MarkerPlace::At(start, 0),
            Search::Sure(_) if rest.len() <= LONGEST_NAME && last => MarkerPlace::At(rest.len(), 0),
            Search::Sure(_) if rest.len() <= LONGEST_NAME => MarkerPlace::Wait,
            _ => MarkerPlace::Missing,
        }
    }
}

/// The marker in front of an id that stands between the name and the arguments.
fn between_prefix(call: &NamedCall) -> Option<&Marker> {
    let id = call.id.as_ref()?;
    let is_between = id.position == CallIdPosition::BetweenFuncAndArgs;
    (is_between && !id.prefix.is_none()).then_some(&id.prefix)
}
