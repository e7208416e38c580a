//! Arguments in tags, each with its key.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::call_path::WordEnd;
use super::call_state::{CallData, QuotingState, TaggedArgument};
use super::markers::{
    MarkerSet, Match, Search, StartMatch, match_mark, split_ascii_space, split_common_start,
};
use super::program::Program;
use super::{Machine, State, Step};
use crate::convert::{NestedTags, is_incomplete_literal, nested_to_json, value_to_json};
use crate::event::Malformation;
use crate::format::{Arguments, Marker, Quoting, Text};
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;
use prompty_core::schema::{self, Kinds, Schema};
use prompty_core::value::internal::json::escape_text;
use prompty_core::work::add_steps;

/// The maximum length of the white space after a closing tag.
const MOST_SPACE: usize = 64;

impl Machine<'_> {
    /// Reports the key, and decides how the value is read.
    pub(super) fn begin_value(&mut self, space: Text, sink: &mut impl Sink) {
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        call.arguments(if call.has_arguments { ", \"" } else { "{\"" }, sink);
        call.has_arguments = true;
        call.add_key(&argument.key);
        argument.start = self.raw.len();
        escape_text(&argument.key, |piece| call.arguments(piece, sink));
        call.arguments("\": ", sink);
        argument.after = space;
        let was_quoted = std::mem::take(&mut argument.quoted) == QuotingState::Yes;
        let kinds = kinds_of_argument(arguments_schema(program, &call.name), &argument.key);
        argument.streams = match argument.is_text {
            Some(is_text) => is_text,
            None => kinds == Kinds::STRING,
        };
        argument.begin(!argument.streams && kinds.intersects(Kinds::ARRAY.union(Kinds::OBJECT)));
        if argument.streams {
            call.arguments("\"", sink);
        }
        let close = match program.notation() {
            Some(Arguments::Nested { close_prefix, close_suffix, .. }) => {
                close_prefix.wrap_word(&argument.key, close_suffix)
            }
            Some(Arguments::Tagged { value_close, quoting, .. }) => {
                if !quoting.open.is_empty() {
                    argument.quoted = QuotingState::Maybe;
                }
                if argument.close.is_some() && !was_quoted {
                    return;
                }
                value_close.clone()
            }
            _ => return,
        };
        argument.close_with(&close);
    }

    /// Reads the value of an argument, after the white space that belongs to the opening tag.
    pub(super) fn step_value(
        &mut self,
        id: LeafId,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let argument = &mut self.data.argument;
        let expected = argument.after.get(argument.skipped..).filter(|space| !space.is_empty());
        if let Some(expected) = expected {
            let (common, others) = split_common_start(rest, expected);
            let is_all = others.is_empty() && common.len() < expected.len();
            argument.skipped =
                if is_all { argument.skipped + common.len() } else { argument.after.len() };
            if !common.is_empty() {
                return self.absorb_to(common, State::In(id), sink);
            }
        }
        if self.data.argument.quoted == QuotingState::Maybe {
            match self.begin_quoted(rest) {
                StartMatch::Found((), opener) => {
                    return self.absorb_to(opener, State::In(id), sink);
                }
                StartMatch::Wait if !last => return Step::Wait(0),
                StartMatch::Wait | StartMatch::Nothing => {
                    self.data.argument.quoted = QuotingState::No;
                }
            }
        }
        let Some(close) = &self.data.argument.close else {
            return self.fail(Malformation::WrongMarkup, sink);
        };
        match close.search(rest, last) {
            Search::Sure(text) => {
                let complete_prefix = |it: &Quoting| it.complete_prefix(text);
                let text = self.program.quoting().filter(|_| !last).map_or(text, complete_prefix);
                self.value_text(text, sink);
                Step::Wait(text.len())
            }
            Search::Found { before, .. } if !before.is_empty() && !self.data.argument.streams => {
                self.value_text(before, sink);
                Step::Take(before.len())
            }
            // A value that is not streamed has no text before the marker here.
            Search::Found { marker, .. } if self.data.argument.is_in_json_string() => {
                self.value_text(marker, sink);
                Step::Take(marker.len())
            }
            Search::Found { before, marker, after, .. } => {
                let end = before.len() + marker.len();
                match self.can_follow_value(after, last) {
                    StartMatch::Wait => {
                        self.value_text(before, sink);
                        Step::Wait(before.len())
                    }
                    // A closing tag is data if neither an argument nor the end of the call follows
                    // it.
                    StartMatch::Nothing => {
                        #[expect(clippy::string_slice, reason = "`rest` begins with both texts")]
                        self.value_text(&rest[..end], sink);
                        self.data.argument.closed_at.get_or_insert(self.raw.len());
                        Step::Take(end)
                    }
                    StartMatch::Found(..) => {
                        self.value_text(before, sink);
                        let is_valid = self.end_value(sink);
                        self.absorb(marker, sink);
                        self.state = State::After(self.program.call_path.end_of_argument(id));
                        if !is_valid {
                            self.fail(Malformation::WrongArguments, sink);
                        }
                        Step::Take(end)
                    }
                }
            }
        }
    }

    /// Checks whether a value begins with the opening quote. If it does, only the closing quote
    /// before the closing tag ends it.
    fn begin_quoted<'text>(&mut self, rest: &'text str) -> StartMatch<'text, ()> {
        let Some(Arguments::Tagged { value_close, quoting, .. }) = self.program.notation() else {
            return StartMatch::Nothing;
        };
        let (space, words) = split_ascii_space(rest);
        match match_mark(&quoting.open, words) {
            Match::Full(length) => {
                self.data.argument.quoted = QuotingState::Yes;
                let close = format!("{} {value_close}", quoting.close);
                self.data.argument.close_with(&Marker::new(close));
                #[expect(clippy::string_slice, reason = "both were found at the start of `rest`")]
                let opener = &rest[..space.len() + length];
                StartMatch::Found((), opener)
            }
            Match::Partial if space.len() <= MOST_SPACE => StartMatch::Wait,
            Match::Partial | Match::No => StartMatch::Nothing,
        }
    }

    /// Whether the text after a closing tag can follow a value: another argument, or the closer of
    /// the call.
    fn can_follow_value<'text>(&self, after: &'text str, last: bool) -> StartMatch<'text, ()> {
        let (space, next) = split_ascii_space(after);
        if space.len() > MOST_SPACE || (next.is_empty() && last) {
            return StartMatch::Found((), "");
        }
        if next.is_empty() {
            return StartMatch::Wait;
        }
        match self.program.expected_markers.in_arguments.at_start(next, last) {
            StartMatch::Found(_, marker) => StartMatch::Found((), marker),
            StartMatch::Wait => StartMatch::Wait,
            StartMatch::Nothing => StartMatch::Nothing,
        }
    }

    /// Takes a piece of the value.
    fn value_text(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        self.raw.push_str(text);
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        if argument.streams {
            let text = program.quoting().map_or(Cow::Borrowed(text), |it| it.unescape(text));
            escape_text(&text, |piece| call.arguments(piece, sink));
        } else {
            argument.value.push_str(text);
        }
    }

    /// Whether a value contains a sign that its own end was damaged: another argument of the tool,
    /// or, after the first closing tag, another opener.
    fn has_damaged_end(&self) -> bool {
        let (program, argument) = (&self.program, &self.data.argument);
        let Some(value) = self.raw.get(argument.start..) else { return true };
        if argument.quoted == QuotingState::Yes {
            // An adjacent closing and opening quote join two strings. Any other opening quote means
            // that the first quote was never closed.
            let quoting = program.quoting().unwrap_or(&Quoting::NONE);
            let inside = value.trim_start().strip_prefix(&*quoting.open).unwrap_or(value);
            return inside.replace(&quoting.joint(), "").contains(&*quoting.open);
        }
        // Most values contain neither, and this check is fast.
        let key_open = program.notation().map_or("", |it| &*it.key_open().text);
        add_steps(value.len());
        let find = || memchr::memmem::find(value.as_bytes(), key_open.as_bytes());
        if argument.closed_at.is_none() && (key_open.is_empty() || find().is_none()) {
            return false;
        }
        let closed = argument.closed_at.map_or(value.len(), |at| at.saturating_sub(argument.start));
        let schema = arguments_schema(program, &self.call.name);
        let of_tool = schema.into_iter().flat_map(Schema::properties);
        let of_tool: BTreeSet<&str> = of_tool.map(|it| it.name).collect();
        let names_another = |text: &str| {
            let slot = program.call_path.find_slot(|slot| *slot == Slot::Key);
            let end = slot.map(|slot| program.call_path.end_of_word(slot, text, true));
            let Some(WordEnd::Found(key)) = end else { return false };
            let key = key.trim();
            of_tool.contains(key) && !self.call.has_key(key)
        };
        let mut rest = value;
        while let Search::Found { after, action, .. } =
            program.expected_markers.in_arguments.search(rest, true)
        {
            rest = after;
            let is_after_close = value.len() - rest.len() > closed;
            match program.call_path.mark(action) {
                Some(Mark::KeyOpen) if is_after_close || names_another(rest) => return true,
                Some(mark) if is_after_close && mark.opens_call() => return true,
                _ => {}
            }
        }
        // A value that cannot be a string must not contain its closing tag.
        let kinds = kinds_of_argument(schema, &argument.key);
        closed < value.len() && !kinds.intersects(Kinds::STRING)
    }

    /// Ends the value. Returns false if its end or a tag in it is damaged.
    fn end_value(&mut self, sink: &mut impl Sink) -> bool {
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        if argument.streams {
            call.arguments("\"", sink);
            return !self.has_damaged_end();
        }
        let schema = arguments_schema(program, &call.name);
        let mut json = String::new();
        let is_valid = match program.notation().and_then(NestedTags::from_arguments) {
            Some(tags) => nested_to_json(&argument.value, tags, schema, &argument.key, &mut json),
            None => {
                let kinds = match argument.is_text {
                    Some(false) => Kinds::ANY,
                    _ => kinds_of_argument(schema, &argument.key),
                };
                let is_text =
                    argument.quoted == QuotingState::Yes && kinds.intersects(Kinds::STRING);
                let kinds = if is_text { Kinds::STRING } else { kinds };
                let quoting = program.quoting().unwrap_or(&Quoting::NONE);
                let mut value = std::mem::take(&mut argument.value);
                if is_text {
                    value = value.replace(&quoting.joint(), "");
                }
                value_to_json(&value, kinds, quoting, &mut json);
                // A literal may contain any text. A truncated literal was damaged, unless the value
                // may be a string.
                let is_cut = !kinds.intersects(Kinds::STRING) && is_incomplete_literal(&value);
                let is_valid = !json.starts_with('"') || !(is_cut || self.has_damaged_end());
                // Reuse the allocation.
                self.data.argument.value = value;
                is_valid
            }
        };
        if is_valid {
            self.call.arguments(&json, sink);
        }
        self.data.argument.value.clear();
        is_valid
    }
}

impl TaggedArgument {
    fn close_with(&mut self, close: &Marker) {
        let mut markers = MarkerSet::new();
        markers.add(close, ());
        self.close = Some(markers);
    }
}

impl Program {
    /// The notation of the arguments of named calls.
    pub(super) fn notation(&self) -> Option<&Arguments> {
        self.named().map(|call| &call.arguments)
    }

    fn quoting(&self) -> Option<&Quoting> {
        match self.notation()? {
            Arguments::Tagged { quoting, .. } => Some(quoting),
            _ => None,
        }
    }
}

/// The schema of all arguments of a tool, if the caller gave the tool.
fn arguments_schema<'p>(program: &'p Program, tool: &str) -> Option<Schema<'p>> {
    program.tool(tool).map(|tool| Schema::from_map(&tool.parameters))
}

/// The kinds of values that an argument may have.
fn kinds_of_argument(schema: Option<Schema<'_>>, name: &str) -> Kinds {
    schema.map_or(Kinds::ANY, |schema| schema.kinds_at(&[schema::Step::Name(name)]))
}
