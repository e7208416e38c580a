//! The walk through a call whose name stands in markup: from part to part, as the layout says.

use super::call_state::{Quotes, Sign};
use super::markers::split_ascii_space;
use super::markers::{AtStart, LONGEST_NAME};
use super::ways::{Next, Stretch, WordEnd};
use super::{Machine, State, Step, first_character};
use crate::convert::{LiteralReader, Notation};
use crate::event::Malformation;
use crate::format::{Arguments, NamePlace, Text};
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Begins to walk, behind the opener of a call or the header that names it.
    pub(super) fn walk(&mut self) -> Step {
        match self.program.ways.front() {
            Some(front) => self.enter(State::Behind(front)),
            None => self.enter(State::Text),
        }
    }

    /// Reads what follows a part.
    pub(super) fn step_behind(
        &mut self,
        at: LeafId,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let is_behind = matches!(self.program.ways.stretch(at), Stretch::Arguments | Stretch::Tail);
        if is_behind && (!self.call.is_open() || self.call.is_whole) {
            return self.step_between_calls(at, rest, last, sink);
        }
        if let Some(slot) = self.program.ways.begins_at_once(at) {
            return self.begin_slot(at, slot, rest, sink);
        }
        let (space, _) = split_ascii_space(rest);
        if !space.is_empty() && self.is_words_alone(at) {
            return self.leave_calls(rest, sink);
        }
        if !space.is_empty() {
            return self.absorb_to(space, State::Behind(at), sink);
        }
        match self.program.ways.next(at, rest, last) {
            Next::Wait => Step::Wait(0),
            Next::Literal(id, mark) => self.pass(at, id, mark, sink),
            Next::Slot(id) => self.begin_slot(at, id, rest, sink),
            Next::Nothing => self.lost(at, rest, last, sink),
        }
    }

    /// Whether a part opens a call with plain words, behind which the template writes no white space. Prose has
    /// such words, too.
    fn is_words_alone(&self, at: LeafId) -> bool {
        let is_first = self.program.ways.stretch(at) == Stretch::Front;
        let opener = self.program.ways.marker(at);
        let is_tight = opener.is_some_and(|opener| opener.after.is_empty());
        is_first && is_tight && self.opening.awaits_call && self.opening.sign == Sign::Words
    }

    /// Reads a literal.
    fn pass(&mut self, at: LeafId, id: LeafId, mark: &str, sink: &mut impl Sink) -> Step {
        let ways = &self.program.ways;
        let (was, is) = (ways.stretch(at), ways.stretch_behind(at, id));
        let leads_to_arguments = is == Stretch::Name && ways.leads_to_arguments(id);
        let is_id = ways.mark(id) == Some(Mark::IdPrefix);
        match is {
            Stretch::Front | Stretch::Name => {}
            Stretch::Arguments => self.begin_named(sink),
            Stretch::Tail if is_id && self.call.is_open() => {}
            Stretch::Tail => return self.end_walk(was, mark, sink),
        }
        self.absorb(mark, sink);
        self.state = State::Behind(id);
        if leads_to_arguments {
            self.begin_named(sink);
        }
        Step::Take(mark.len())
    }

    /// Ends the call in front of what cannot be part of it.
    fn end_walk(&mut self, was: Stretch, rest: &str, sink: &mut impl Sink) -> Step {
        // An opener and a closer, with nothing between them.
        if was == Stretch::Front {
            return self.leave_calls(rest, sink);
        }
        self.begin_named(sink);
        // Words that close a call may be those of what should open its arguments.
        let closer = self.program.watched.in_arguments.at_start(rest, true);
        let closes = match closer {
            AtStart::Found(id, _) => self.program.ways.is_markup(id),
            AtStart::Wait | AtStart::Nothing => rest.is_empty(),
        };
        let closes = closes || self.has_tags();
        if !self.call.has_arguments && !closes {
            return self.fail(Malformation::NoArguments, sink);
        }
        self.end_named(sink);
        self.after_call(self.between_calls())
    }

    /// Reports the call, where that was not done.
    fn begin_named(&mut self, sink: &mut impl Sink) {
        if !self.call.is_open() {
            self.begin_call(sink);
        }
    }

    /// Whether the arguments stand in tags.
    pub(super) fn has_tags(&self) -> bool {
        let arguments = self.program.named().map(|call| &call.arguments);
        matches!(arguments, Some(Arguments::Tagged { .. } | Arguments::Nested { .. }))
    }

    /// Ends the call, whose arguments are whole or missing.
    pub(super) fn end_named(&mut self, sink: &mut impl Sink) {
        if !self.call.has_arguments {
            return self.end_call_without_arguments(sink);
        }
        if self.has_tags() {
            self.call.arguments("}", sink);
        }
        self.end_call(sink);
    }

    /// Begins to read data.
    fn begin_slot(&mut self, at: LeafId, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        match self.program.ways.slot(id) {
            Some(Slot::Json) => self.begin_json(id, rest, sink),
            Some(Slot::Assignments { quote, close, .. }) => {
                // A literal is read byte by byte, so that only an ASCII character can close it.
                let close = close.bytes().next().filter(u8::is_ascii).unwrap_or(b')');
                let notation = Notation { quote: quote.clone(), close };
                self.begin_named(sink);
                self.begin_literal(LiteralReader::assignments(notation), Quotes::None);
                self.call.arguments("{", sink);
                self.enter(State::In(id))
            }
            Some(Slot::Value { .. } | Slot::Tags { .. }) => {
                let space = self.space_behind(at);
                self.begin_value(space, sink);
                self.enter(State::In(id))
            }
            _ => self.enter(State::In(id)),
        }
    }

    /// The white space that the template writes behind a part.
    fn space_behind(&self, at: LeafId) -> Text {
        let marker = self.program.ways.marker(at);
        // A key may have nothing but white space behind it.
        let own = || match &self.program.named()?.arguments {
            Arguments::Tagged { key_close, .. } => Some(&key_close.text),
            _ => None,
        };
        marker.or_else(own).map(|marker| marker.after.clone()).unwrap_or_default()
    }

    /// Begins to read arguments that are JSON, or a text that holds JSON.
    fn begin_json(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        self.begin_named(sink);
        let is_text = rest.starts_with('"');
        let quotes = if is_text { Quotes::Text } else { Quotes::None };
        self.begin_literal(LiteralReader::object(), quotes);
        self.absorb_to(if is_text { "\"" } else { "" }, State::In(id), sink)
    }

    /// Begins to read a literal.
    pub(super) fn begin_literal(&mut self, reader: LiteralReader, quotes: Quotes) {
        self.data.reader = reader;
        self.data.quotes = Some(quotes);
    }

    /// Reads data.
    pub(super) fn step_in(
        &mut self,
        id: LeafId,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        if let Some(quotes) = self.data.quotes {
            return self.step_arguments(quotes, rest, last, sink);
        }
        if self.data.object.is_open() {
            return self.step_object(rest, last, sink);
        }
        match self.program.ways.slot(id) {
            Some(Slot::Header(_)) => self.step_header(rest, last, sink),
            Some(Slot::Object(_)) => self.step_object(rest, last, sink),
            Some(Slot::Name { .. }) => self.step_name(id, rest, last, sink),
            Some(Slot::Id | Slot::Key | Slot::Word { .. }) => self.step_word(id, rest, last, sink),
            _ => self.step_value(id, rest, last, sink),
        }
    }

    /// Goes on where nothing stands that may follow a part.
    fn lost(&mut self, at: LeafId, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let stretch = self.program.ways.stretch(at);
        match stretch {
            Stretch::Front => return self.leave_calls(rest, sink),
            Stretch::Tail => return self.end_walk(stretch, rest, sink),
            // The arguments are whole, and were not in tags.
            Stretch::Arguments if self.call.has_arguments && !self.has_tags() => {
                return self.end_walk(stretch, rest, sink);
            }
            Stretch::Name | Stretch::Arguments => {}
        }
        match self.program.watched.in_arguments.at_start(rest, last) {
            AtStart::Wait => return Step::Wait(0),
            AtStart::Found(..) => return self.end_walk(stretch, rest, sink),
            AtStart::Nothing => {}
        }
        if stretch == Stretch::Arguments && rest.starts_with(',') {
            return self.absorb_to(first_character(rest), State::Behind(at), sink);
        }
        if !self.call.has_arguments && rest.starts_with('{') {
            return self.begin_json(at, rest, sink);
        }
        if !self.call.is_open() && !rest.starts_with('(') {
            return self.no_call_or_fail(Malformation::WrongMarkup, rest, sink);
        }
        self.begin_named(sink);
        let reason = match self.has_tags() {
            true => Malformation::WrongMarkup,
            false => Malformation::WrongArguments,
        };
        self.fail(reason, sink)
    }

    /// Reads the name of a call.
    fn step_name(&mut self, id: LeafId, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        // A name ends at white space, at brackets and quotes, and at what stands behind it.
        let stops = self.program.ways.first_bytes_behind(id);
        let end = rest.bytes().position(|byte| {
            stops.contains(&byte) || byte.is_ascii_whitespace() || b"<>{}[]()\"'".contains(&byte)
        });
        let end_or_length = end.unwrap_or(rest.len());
        add_steps(end_or_length);
        if end.is_none() && rest.len() <= LONGEST_NAME && !last {
            return Step::Wait(0);
        }
        #[expect(clippy::string_slice, reason = "`position` found the first byte of a character")]
        let name = &rest[..end_or_length];
        if name.is_empty() || name.len() > LONGEST_NAME {
            return self.no_call_or_fail(Malformation::NoName, rest, sink);
        }
        self.set_name(name);
        self.call.name_at = Some(self.raw.len());
        // An id that is only a count names no tool.
        if !self.program.is_name(&self.call.name) {
            return self.no_call_or_fail(Malformation::NoName, rest, sink);
        }
        let is_sign = matches!(self.opening.sign, Sign::Markup | Sign::Control);
        if !is_sign && !self.program.is_known(&self.call.name) {
            return self.leave_calls(rest, sink);
        }
        self.absorb_to(name, State::Behind(id), sink)
    }

    /// Gives up what has only an opener, or a call.
    fn no_call_or_fail(&mut self, reason: Malformation, rest: &str, sink: &mut impl Sink) -> Step {
        match self.opening.awaits_call {
            true => self.no_call(reason, rest, sink),
            false => self.fail(reason, sink),
        }
    }

    /// Reads a word up to what may follow it: an id, a key, or a word that varies.
    fn step_word(&mut self, id: LeafId, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let spaced_word = match self.program.ways.end_of_word(id, rest, last) {
            WordEnd::Found(word) => word,
            WordEnd::Wait => return Step::Wait(0),
            WordEnd::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        let word = spaced_word.trim();
        let is_of_argument = self.program.ways.stretch(id) == Stretch::Arguments;
        let slot = self.program.ways.slot(id);
        let is_word = match slot {
            Some(Slot::Key) => self.program.is_key(word) && !self.call.has_key(word),
            _ => self.program.is_plain_word(word),
        };
        if !is_word {
            return self.fail(Malformation::WrongMarkup, sink);
        }
        match slot {
            Some(Slot::Id) => word.clone_into(&mut self.call.id),
            Some(Slot::Key) => {
                word.clone_into(&mut self.data.argument.key);
                self.data.argument.is_text = None;
            }
            Some(Slot::Word { of_texts }) if is_of_argument => {
                let is_text = of_texts.iter().any(|text| text == word);
                self.data.argument.is_text = (!of_texts.is_empty()).then_some(is_text);
            }
            // Where the id stands in the place of the name, the word is its count.
            _ => {
                let call = self.program.named().filter(|call| call.name == NamePlace::Id);
                if let Some(call) = call {
                    self.call.id.push_str(&call.suffix.text.text);
                    self.call.id.push_str(word);
                }
            }
        }
        self.absorb_to(spaced_word, State::Behind(id), sink)
    }
}
