//! Arguments in tags, each with its key.
//!
//! `begin_value` reports the key, `step_value` reads the value, and `end_value` reports it. A value
//! ends at its closing tag. But a string may contain that tag, so it is data in these cases:
//! - It is inside a string of a JSON array or object: `<p>["</p>"]</p>`.
//! - Neither another argument nor the end of the call follows it: `<p>a</p>b</p>`.
//! - The value is in quotes, and no closing quote is before it: `<p><![CDATA[</p>]]></p>`.
//!
//! If the real closing tag may be missing, the call is malformed; see `has_damaged_end`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::call_path::WordEnd;
use super::call_state::{CallData, QuotingState, TaggedArgument};
use super::markers::{
    MOST_SPACE, MarkerSet, Match, Search, StartMatch, match_marker, split_ascii_space,
    split_common_start,
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

impl Machine<'_> {
    /// Reports the key, and decides how the value is read.
    pub(super) fn begin_value(&mut self, space: Text, sink: &mut impl Sink) {
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        call.push_arguments(if call.has_arguments { ", \"" } else { "{\"" }, sink);
        call.has_arguments = true;
        call.add_key(&argument.key);
        argument.start = self.raw.len();
        escape_text(&argument.key, |piece| call.push_arguments(piece, sink));
        call.push_arguments("\": ", sink);
        argument.opening_space = space;
        let was_quoted = std::mem::take(&mut argument.quoted) == QuotingState::Yes;
        // A string is reported piece by piece. Any other value must be complete to be converted.
        let kinds = kinds_of_argument(arguments_schema(program, &call.name), &argument.key);
        argument.streams = match argument.is_text {
            Some(is_text) => is_text,
            None => kinds == Kinds::STRING,
        };
        argument.begin(!argument.streams && kinds.intersects(Kinds::ARRAY.union(Kinds::OBJECT)));
        if argument.streams {
            call.push_arguments("\"", sink);
        }
        let close = match program.notation() {
            Some(Arguments::Nested { close_prefix, close_suffix, .. }) => {
                close_prefix.wrap_word(&argument.key, close_suffix)
            }
            Some(Arguments::Tagged { value_close, quoting, .. }) => {
                if !quoting.open.is_empty() {
                    argument.quoted = QuotingState::Maybe;
                }
                // The last value had the same closer, unless it was in quotes.
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
    pub(super) fn step_value(&mut self, id: LeafId, rest: &str, sink: &mut impl Sink) -> Step {
        let space = self.take_opening_space(rest);
        if !space.is_empty() {
            return self.absorb_to(space, State::In(id), sink);
        }
        if self.data.argument.quoted == QuotingState::Maybe {
            match self.begin_quoted(rest) {
                StartMatch::Found((), opener) => {
                    return self.absorb_to(opener, State::In(id), sink);
                }
                StartMatch::Wait if !self.is_last => return Step::Wait(0),
                StartMatch::Wait | StartMatch::Nothing => {
                    self.data.argument.quoted = QuotingState::No;
                }
            }
        }
        let Some(close) = &self.data.argument.close else {
            return self.fail(Malformation::WrongMarkup, sink);
        };
        match close.search(rest, self.is_last) {
            Search::NoMarker(text) => {
                let complete_prefix = |it: &Quoting| it.complete_prefix(text);
                let text =
                    self.program.quoting().filter(|_| !self.is_last).map_or(text, complete_prefix);
                self.take_value_text(text, sink);
                Step::Wait(text.len())
            }
            Search::Found { before, .. } if !before.is_empty() && !self.data.argument.streams => {
                self.take_value_text(before, sink);
                Step::Take(before.len())
            }
            // Inside a JSON string. The text before the marker was taken by the arm above.
            Search::Found { marker, .. } if self.data.argument.read_ahead_in_json_string() => {
                self.take_value_text(marker, sink);
                Step::Take(marker.len())
            }
            Search::Found { before, marker, after, .. } => {
                let end = before.len() + marker.len();
                match self.can_follow_value(after) {
                    StartMatch::Wait => {
                        self.take_value_text(before, sink);
                        Step::Wait(before.len())
                    }
                    // A closing tag is data if neither an argument nor the end of the call follows
                    // it.
                    StartMatch::Nothing => {
                        #[expect(clippy::string_slice, reason = "`rest` begins with both texts")]
                        self.take_value_text(&rest[..end], sink);
                        self.data.argument.closed_at.get_or_insert(self.raw.len());
                        Step::Take(end)
                    }
                    StartMatch::Found(..) => {
                        self.take_value_text(before, sink);
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

    /// Splits off the white space at the start of `rest` that the template writes after the opening
    /// tag. It may arrive in several chunks.
    fn take_opening_space<'text>(&mut self, rest: &'text str) -> &'text str {
        let argument = &mut self.data.argument;
        let expected = argument.opening_space.get(argument.opening_space_read..).unwrap_or("");
        let (common, others) = split_common_start(rest, expected);
        let may_continue = others.is_empty() && common.len() < expected.len();
        argument.opening_space_read = match may_continue {
            true => argument.opening_space_read + common.len(),
            false => argument.opening_space.len(),
        };
        common
    }

    /// Begins a value in quotes, if `rest` begins with the opening quote. Then only the closing
    /// quote before the closing tag ends the value.
    fn begin_quoted<'text>(&mut self, rest: &'text str) -> StartMatch<'text, ()> {
        let Some(Arguments::Tagged { value_close, quoting, .. }) = self.program.notation() else {
            return StartMatch::Nothing;
        };
        let (space, words) = split_ascii_space(rest);
        match match_marker(&quoting.open, words) {
            Match::Full(length) => {
                self.data.argument.quoted = QuotingState::Yes;
                // White space in a marker also matches other white space, or none.
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
    fn can_follow_value<'text>(&self, after: &'text str) -> StartMatch<'text, ()> {
        let (space, next) = split_ascii_space(after);
        if space.len() > MOST_SPACE || (next.is_empty() && self.is_last) {
            return StartMatch::Found((), "");
        }
        if next.is_empty() {
            return StartMatch::Wait;
        }
        match self.program.expected_markers.in_arguments.at_start(next, self.is_last) {
            StartMatch::Found(_, marker) => StartMatch::Found((), marker),
            StartMatch::Wait => StartMatch::Wait,
            StartMatch::Nothing => StartMatch::Nothing,
        }
    }

    /// Takes a piece of the value.
    fn take_value_text(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        self.raw.push_str(text);
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        if argument.streams {
            let text = program.quoting().map_or(Cow::Borrowed(text), |it| it.unescape(text));
            escape_text(&text, |piece| call.push_arguments(piece, sink));
        } else {
            argument.value.push_str(text);
        }
    }

    /// Whether a value contains a sign that its own end was damaged: another argument of the tool,
    /// or any opener after the first closing tag.
    ///
    /// In `<p=a>1<p=b>2</p>`, the value `1<p=b>2` contains the opener of `b`. That is a sign if the
    /// tool has an argument `b` that was not read yet.
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
        // Most values contain no opener and no closing tag, and this check is fast.
        let key_open = program.notation().map_or("", |it| &*it.key_open().text);
        add_steps(value.len());
        let find = || memchr::memmem::find(value.as_bytes(), key_open.as_bytes());
        if argument.closed_at.is_none() && (key_open.is_empty() || find().is_none()) {
            return false;
        }
        // The end of the first closing tag in the value.
        let first_close =
            argument.closed_at.map_or(value.len(), |at| at.saturating_sub(argument.start));
        let schema = arguments_schema(program, &self.call.name);
        let of_tool = schema.into_iter().flat_map(Schema::properties);
        let of_tool: BTreeSet<&str> = of_tool.map(|it| it.name).collect();
        let names_unread_argument =
            |text: &str| self.key_at_start(text).is_some_and(|key| of_tool.contains(key));
        let mut rest = value;
        while let Search::Found { after, action, .. } =
            program.expected_markers.in_arguments.search(rest, true)
        {
            rest = after;
            let is_after_close = value.len() - rest.len() > first_close;
            match program.call_path.mark(action) {
                Some(Mark::KeyOpen) if is_after_close || names_unread_argument(rest) => {
                    return true;
                }
                Some(mark) if is_after_close && mark.opens_call() => return true,
                _ => {}
            }
        }
        // A value that cannot be a string must not contain its closing tag.
        let kinds = kinds_of_argument(schema, &argument.key);
        first_close < value.len() && !kinds.intersects(Kinds::STRING)
    }

    /// The key at the start of a text, unless it was already read.
    fn key_at_start<'text>(&self, text: &'text str) -> Option<&'text str> {
        let slot = self.program.call_path.find_slot(|slot| *slot == Slot::Key)?;
        match self.program.call_path.end_of_word(slot, text, true) {
            WordEnd::Found(key) => Some(key.trim()).filter(|key| !self.call.has_key(key)),
            WordEnd::Wait | WordEnd::Missing => None,
        }
    }

    /// Ends the value and reports it. Returns false if its end or a tag in it is damaged.
    fn end_value(&mut self, sink: &mut impl Sink) -> bool {
        if self.data.argument.streams {
            self.call.push_arguments("\"", sink);
            return !self.has_damaged_end();
        }
        let json = self.value_json();
        if let Some(json) = &json {
            self.call.push_arguments(json, sink);
        }
        self.data.argument.value.clear();
        json.is_some()
    }

    /// The complete value as JSON. `None` if its end or a tag in it is damaged.
    fn value_json(&self) -> Option<String> {
        let Self { program, data: CallData { argument, .. }, call, .. } = self;
        let schema = arguments_schema(program, &call.name);
        let mut json = String::new();
        if let Some(tags) = program.notation().and_then(NestedTags::from_arguments) {
            let mut path = vec![schema::Step::Name(&argument.key)];
            let are_closed = nested_to_json(&argument.value, tags, schema, &mut path, &mut json);
            return are_closed.then_some(json);
        }
        let quoting = program.quoting().unwrap_or(&Quoting::NONE);
        let mut value = Cow::Borrowed(&argument.value);
        // If the markup says that the value is not a string, it may be a literal of any kind.
        let mut kinds = match argument.is_text {
            Some(false) => Kinds::ANY,
            _ => kinds_of_argument(schema, &argument.key),
        };
        if argument.quoted == QuotingState::Yes && kinds.intersects(Kinds::STRING) {
            value = Cow::Owned(value.replace(&quoting.joint(), ""));
            kinds = Kinds::STRING;
        }
        value_to_json(&value, kinds, quoting, &mut json);
        // A literal may contain any text. A truncated literal was damaged, unless the value may be
        // a string.
        let is_cut = !kinds.intersects(Kinds::STRING) && is_incomplete_literal(&value);
        let is_string = json.starts_with('"');
        (!is_string || !(is_cut || self.has_damaged_end())).then_some(json)
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
