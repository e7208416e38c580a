//! The steps through a call whose name is in markup, from part to part of the layout.
//!
//! The state `After(part)` looks for the next part at the start of the text (`step_after`), and
//! `In(slot)` reads data (`step_in`). [`CallPath`](super::call_path::CallPath) knows which parts
//! may follow. For calls such as `<call><f=NAME><p=KEY>VALUE</p></f></call>`:
//!
//! | text | state | function |
//! |---|---|---|
//! | `<call>` | `After(start of call)` | `start_walk`, after the opener was found in the text |
//! | `<f=` | `After(NamePrefix)` | `take_literal` |
//! | `time` | `After(Name)` | `step_name` |
//! | `>` | `After(NameSuffix)` | `take_literal`; arguments may follow, so the call is reported |
//! | `<p=` | `After(KeyOpen)` | `take_literal` |
//! | `zone` | `After(Key)` | `step_word` |
//! | `>` | `After(KeyClose)` | `take_literal` |
//! | | `In(Value)` | `begin_slot` |
//! | `CET</p>` | `After(ValueClose)` | `step_value` |
//! | `</f>` | `After(last part)` | `take_literal`, which ends the call with `end_walk` |
//!
//! If no part matches, `handle_unexpected_part` decides: the call has ended, is malformed, or never
//! was a call.

use super::call_path::{CallStage, NextPart, WordEnd};
use super::call_state::{LiteralQuotes, OpenerKind};
use super::markers::{LONGEST_NAME, StartMatch, split_ascii_space};
use super::{Machine, State, Step, first_character};
use crate::convert::{LiteralNotation, LiteralReader};
use crate::event::Malformation;
use crate::format::{Arguments, NamePlace, Text};
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Begins the steps, after the opener of a call or after the header that names it.
    pub(super) fn start_walk(&mut self) -> Step {
        match self.program.call_path.named_call_start() {
            Some(call_start) => self.enter(State::After(call_start)),
            None => self.enter(State::Text),
        }
    }

    /// Reads the text after a part.
    pub(super) fn step_after(&mut self, at: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        let is_after_arguments = matches!(
            self.program.call_path.stage(at),
            CallStage::Arguments | CallStage::AfterArguments
        );
        if is_after_arguments && (!self.call.is_open || self.call.has_complete_arguments) {
            return self.step_between_calls(at, rest, sink);
        }
        if let Some(slot) = self.program.call_path.free_slot_after(at) {
            return self.begin_slot(at, slot, rest, sink);
        }
        let (space, _) = split_ascii_space(rest);
        if !space.is_empty() && self.is_ambiguous_opener(at) {
            return self.leave_calls(rest, sink);
        }
        if !space.is_empty() {
            return self.absorb_to(space, State::After(at), sink);
        }
        match self.program.call_path.next(at, rest, self.is_last) {
            NextPart::Wait => Step::Wait(0),
            NextPart::Literal(id, marker) => self.take_literal(at, id, marker, sink),
            NextPart::Slot(id) => self.begin_slot(at, id, rest, sink),
            NextPart::Nothing => self.handle_unexpected_part(at, rest, sink),
        }
    }

    /// Whether a part opens a call with plain words, after which the template writes no white
    /// space. Prose may contain such words.
    fn is_ambiguous_opener(&self, at: LeafId) -> bool {
        let is_first = self.program.call_path.stage(at) == CallStage::BeforeName;
        let opener = self.program.call_path.marker(at);
        let is_tight = opener.is_some_and(|opener| opener.after.is_empty());
        is_first && is_tight && self.opening.awaits_call && self.opening.kind == OpenerKind::Words
    }

    /// Takes the literal `id`, which follows the part `at` and is written as `marker`. If it is not
    /// part of the call, the call ends before it.
    fn take_literal(&mut self, at: LeafId, id: LeafId, marker: &str, sink: &mut impl Sink) -> Step {
        let call_path = &self.program.call_path;
        let (was, is) = (call_path.stage(at), call_path.stage_after(at, id));
        let leads_to_arguments = is == CallStage::Name && call_path.leads_to_arguments(id);
        let is_id = call_path.mark(id) == Some(Mark::IdPrefix);
        match is {
            CallStage::BeforeName | CallStage::Name => {}
            CallStage::Arguments => self.ensure_call_begun(sink),
            // An id after the arguments belongs to the call.
            CallStage::AfterArguments if is_id && self.call.is_open => {}
            CallStage::AfterArguments => return self.end_walk(was, marker, sink),
        }
        self.absorb(marker, sink);
        self.state = State::After(id);
        if leads_to_arguments {
            self.ensure_call_begun(sink);
        }
        Step::Take(marker.len())
    }

    /// Ends the call before text that cannot be part of it. `was` is the stage of the last part.
    fn end_walk(&mut self, was: CallStage, rest: &str, sink: &mut impl Sink) -> Step {
        // An opener and a closer with nothing between them: `<call></call>`.
        if was == CallStage::BeforeName {
            return self.leave_calls(rest, sink);
        }
        self.ensure_call_begun(sink);
        // The closing words of a call may also be the words that should open its arguments.
        let closes = match self.program.expected_markers.in_arguments.at_start(rest, true) {
            StartMatch::Found(id, _) => self.program.call_path.is_markup(id),
            StartMatch::Wait | StartMatch::Nothing => rest.is_empty(),
        };
        // A call whose arguments are tags may have none of them.
        let closes = closes || self.has_tags();
        if !self.call.has_arguments && !closes {
            return self.fail(Malformation::NoArguments, sink);
        }
        self.end_named_call(sink);
        if self.state == State::Stopped {
            return Step::Take(0);
        }
        self.enter(self.state_between_calls())
    }

    /// Reports the call, if that was not done yet.
    fn ensure_call_begun(&mut self, sink: &mut impl Sink) {
        if !self.call.is_open {
            self.begin_call(sink);
        }
    }

    /// Whether the arguments are in tags.
    pub(super) fn has_tags(&self) -> bool {
        let arguments = self.program.named().map(|call| &call.arguments);
        matches!(arguments, Some(Arguments::Tagged { .. } | Arguments::Nested { .. }))
    }

    /// Ends the call, whose arguments are complete or missing.
    pub(super) fn end_named_call(&mut self, sink: &mut impl Sink) {
        if !self.call.has_arguments {
            return self.end_call_without_arguments(sink);
        }
        if self.has_tags() {
            self.call.push_arguments("}", sink);
        }
        self.end_call(sink);
    }

    /// Begins to read the data of the slot `id`, which follows the part `at`.
    fn begin_slot(&mut self, at: LeafId, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        match self.program.call_path.slot(id) {
            Some(Slot::Json) => self.begin_json(id, rest, sink),
            Some(Slot::Assignments { quote, close, .. }) => {
                // A literal is read byte by byte, so only an ASCII character can close it.
                let close = close.bytes().next().filter(u8::is_ascii).unwrap_or(b')');
                let notation = LiteralNotation { quote: quote.clone(), close };
                self.ensure_call_begun(sink);
                self.begin_literal(LiteralReader::assignments(notation), LiteralQuotes::Unquoted);
                self.call.push_arguments("{", sink);
                self.enter(State::In(id))
            }
            Some(Slot::Value { .. } | Slot::Tags { .. }) => {
                let space = self.space_after(at);
                self.begin_value(space, sink);
                self.enter(State::In(id))
            }
            _ => self.enter(State::In(id)),
        }
    }

    /// The white space that the template writes after a part.
    fn space_after(&self, at: LeafId) -> Text {
        let marker = self.program.call_path.marker(at);
        // A key may be followed by white space alone.
        let key_close = || match &self.program.named()?.arguments {
            Arguments::Tagged { key_close, .. } => Some(&key_close.text),
            _ => None,
        };
        marker.or_else(key_close).map(|marker| marker.after.clone()).unwrap_or_default()
    }

    /// Begins to read arguments that are JSON, or a string that contains JSON.
    fn begin_json(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        self.ensure_call_begun(sink);
        let is_text = rest.starts_with('"');
        let quotes = if is_text { LiteralQuotes::String } else { LiteralQuotes::Unquoted };
        self.begin_literal(LiteralReader::object(), quotes);
        self.absorb_to(if is_text { "\"" } else { "" }, State::In(id), sink)
    }

    /// Begins to read a literal. As long as `quotes` is set, `step_in` reads the literal.
    pub(super) fn begin_literal(&mut self, reader: LiteralReader, quotes: LiteralQuotes) {
        self.data.reader = reader;
        self.data.quotes = Some(quotes);
    }

    /// Reads data.
    pub(super) fn step_in(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        if let Some(quotes) = self.data.quotes {
            return self.step_arguments(quotes, rest, sink);
        }
        if self.data.object.is_open() {
            return self.step_object(rest, sink);
        }
        match self.program.call_path.slot(id) {
            Some(Slot::Header(_)) => self.step_header(rest, sink),
            Some(Slot::Object(_)) => self.step_object(rest, sink),
            Some(Slot::Name { .. }) => self.step_name(id, rest, sink),
            Some(Slot::Id | Slot::Key | Slot::Word { .. }) => self.step_word(id, rest, sink),
            _ => self.step_value(id, rest, sink),
        }
    }

    /// Handles text that does not begin with any part that may follow the part `at`.
    fn handle_unexpected_part(&mut self, at: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        let stage = self.program.call_path.stage(at);
        match stage {
            CallStage::BeforeName => return self.leave_calls(rest, sink),
            CallStage::AfterArguments => return self.end_walk(stage, rest, sink),
            // The arguments are complete, and were not in tags.
            CallStage::Arguments if self.call.has_arguments && !self.has_tags() => {
                return self.end_walk(stage, rest, sink);
            }
            CallStage::Name | CallStage::Arguments => {}
        }
        match self.program.expected_markers.in_arguments.at_start(rest, self.is_last) {
            StartMatch::Wait => return Step::Wait(0),
            StartMatch::Found(..) => return self.end_walk(stage, rest, sink),
            StartMatch::Nothing => {}
        }
        // A comma between two arguments, which the template does not write.
        if stage == CallStage::Arguments && rest.starts_with(',') {
            return self.absorb_to(first_character(rest), State::After(at), sink);
        }
        // A JSON object in the place of arguments in another notation.
        if !self.call.has_arguments && rest.starts_with('{') {
            return self.begin_json(at, rest, sink);
        }
        // Only `name(` reads like a call, which is then reported with its name.
        if !self.call.is_open && !rest.starts_with('(') {
            return self.reject_opener_or_fail(Malformation::WrongMarkup, rest, sink);
        }
        self.ensure_call_begun(sink);
        let reason = match self.has_tags() {
            true => Malformation::WrongMarkup,
            false => Malformation::WrongArguments,
        };
        self.fail(reason, sink)
    }

    /// Reads the name of a call.
    fn step_name(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        // A name ends at white space, brackets, quotes, and the first bytes of the next part.
        let stops = self.program.call_path.first_bytes_after(id);
        let end = rest.bytes().position(|byte| {
            stops.contains(&byte) || byte.is_ascii_whitespace() || b"<>{}[]()\"'".contains(&byte)
        });
        let length = end.unwrap_or(rest.len());
        add_steps(length);
        if end.is_none() && rest.len() <= LONGEST_NAME && !self.is_last {
            return Step::Wait(0);
        }
        #[expect(clippy::string_slice, reason = "`position` found the first byte of a character")]
        let name = &rest[..length];
        if name.is_empty() || name.len() > LONGEST_NAME {
            return self.reject_opener_or_fail(Malformation::NoName, rest, sink);
        }
        self.set_name(name);
        self.call.name_at = Some(self.raw.len());
        // An id that is only a count, such as `:0`, does not name a tool.
        if !self.program.is_name(&self.call.name) {
            return self.reject_opener_or_fail(Malformation::NoName, rest, sink);
        }
        let is_clear_opener = matches!(self.opening.kind, OpenerKind::Markup | OpenerKind::Control);
        if !is_clear_opener && !self.program.is_known(&self.call.name) {
            return self.leave_calls(rest, sink);
        }
        self.absorb_to(name, State::After(id), sink)
    }

    /// Rejects an opener without a call, or fails the call.
    fn reject_opener_or_fail(
        &mut self,
        reason: Malformation,
        rest: &str,
        sink: &mut impl Sink,
    ) -> Step {
        match self.opening.awaits_call {
            true => self.reject_opener(reason, rest, sink),
            false => self.fail(reason, sink),
        }
    }

    /// Reads a word up to the next part: an id, a key, or a varying word.
    fn step_word(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        let spaced_word = match self.program.call_path.end_of_word(id, rest, self.is_last) {
            WordEnd::Found(word) => word,
            WordEnd::Wait => return Step::Wait(0),
            WordEnd::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        let word = spaced_word.trim();
        let is_valid = match self.program.call_path.slot(id) {
            Some(Slot::Key) => self.program.is_key(word) && !self.call.has_key(word),
            _ => self.program.is_plain_word(word),
        };
        if !is_valid {
            return self.fail(Malformation::WrongMarkup, sink);
        }
        self.store_word(id, word);
        self.absorb_to(spaced_word, State::After(id), sink)
    }

    /// Stores the word of a slot in the call or in the argument.
    fn store_word(&mut self, id: LeafId, word: &str) {
        let is_in_arguments = self.program.call_path.stage(id) == CallStage::Arguments;
        match self.program.call_path.slot(id) {
            Some(Slot::Id) => word.clone_into(&mut self.call.id),
            Some(Slot::Key) => {
                word.clone_into(&mut self.data.argument.key);
                self.data.argument.is_text = None;
            }
            // A type hint, as in `<p name=city type=string>`.
            Some(Slot::Word { of_texts }) if is_in_arguments => {
                let is_text = of_texts.iter().any(|text| text == word);
                self.data.argument.is_text = (!of_texts.is_empty()).then_some(is_text);
            }
            // If the id is in the place of the name, the word is its count: in `functions.time:0`,
            // the word is `0`.
            _ => {
                let call = self.program.named().filter(|call| call.name == NamePlace::Id);
                if let Some(call) = call {
                    self.call.id.push_str(&call.suffix.text.text);
                    self.call.id.push_str(word);
                }
            }
        }
    }
}
