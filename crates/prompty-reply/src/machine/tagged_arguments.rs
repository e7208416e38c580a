//! Arguments in tags, each with its key.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::call_state::{Argument, Data, Quoted};
use super::markers::{
    AtStart, MarkerSet, Match, Search, match_mark, split_ascii_space, split_common_start,
};
use super::program::Program;
use super::ways::WordEnd;
use super::{Machine, State, Step};
use crate::convert::{NestedTags, is_cut_literal, nested_to_json, value_to_json};
use crate::event::Malformation;
use crate::format::{Arguments, Marker, Quoting, Text};
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;
use prompty_core::schema::{self, Kinds, Schema};
use prompty_core::value::internal::json::escape_text;
use prompty_core::work::add_steps;

/// How much white space may follow a closing tag.
const MOST_SPACE: usize = 64;

impl Machine<'_> {
    /// Reports the key, and decides how the value is read.
    pub(super) fn begin_value(&mut self, space: Text, sink: &mut impl Sink) {
        let Self { program, data: Data { argument, .. }, call, .. } = self;
        call.arguments(if call.has_arguments { ", \"" } else { "{\"" }, sink);
        call.has_arguments = true;
        call.add_key(&argument.key);
        argument.start = self.raw.len();
        escape_text(&argument.key, |piece| call.arguments(piece, sink));
        call.arguments("\": ", sink);
        argument.after = space;
        let was_quoted = std::mem::take(&mut argument.quoted) == Quoted::Yes;
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
                close_prefix.around(&argument.key, close_suffix)
            }
            Some(Arguments::Tagged { value_close, quoting, .. }) => {
                if !quoting.open.is_empty() {
                    argument.quoted = Quoted::Maybe;
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

    /// Reads the value of an argument, behind the white space that the opening tag brings with it.
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
        if self.data.argument.quoted == Quoted::Maybe {
            match self.begin_quoted(rest) {
                AtStart::Found((), opener) => return self.absorb_to(opener, State::In(id), sink),
                AtStart::Wait if !last => return Step::Wait(0),
                AtStart::Wait | AtStart::Nothing => self.data.argument.quoted = Quoted::No,
            }
        }
        let Some(close) = &self.data.argument.close else {
            return self.fail(Malformation::WrongMarkup, sink);
        };
        match close.search(rest, last) {
            Search::Sure(text) => {
                let undoable = |it: &Quoting| it.undoable(text);
                let text = self.program.quoting().filter(|_| !last).map_or(text, undoable);
                self.value_text(text, sink);
                Step::Wait(text.len())
            }
            Search::Found { before, .. } if !before.is_empty() && !self.data.argument.streams => {
                self.value_text(before, sink);
                Step::Take(before.len())
            }
            // Values that are not streamed come to the marker without any text in front of it.
            Search::Found { marker, .. } if self.data.argument.is_in_json_text() => {
                self.value_text(marker, sink);
                Step::Take(marker.len())
            }
            Search::Found { before, marker, after, .. } => {
                let end = before.len() + marker.len();
                match self.can_follow_value(after, last) {
                    AtStart::Wait => {
                        self.value_text(before, sink);
                        Step::Wait(before.len())
                    }
                    // A closing tag that no argument and no end of the call follows is data.
                    AtStart::Nothing => {
                        #[expect(clippy::string_slice, reason = "`rest` begins with both texts")]
                        self.value_text(&rest[..end], sink);
                        self.data.argument.closed_at.get_or_insert(self.raw.len());
                        Step::Take(end)
                    }
                    AtStart::Found(..) => {
                        self.value_text(before, sink);
                        let is_sound = self.end_value(sink);
                        self.absorb(marker, sink);
                        self.state = State::Behind(self.program.ways.end_of_argument(id));
                        if !is_sound {
                            self.fail(Malformation::WrongArguments, sink);
                        }
                        Step::Take(end)
                    }
                }
            }
        }
    }

    /// Looks whether a value begins with what quotes a text. In that case nothing but the closing quote in
    /// front of the closing tag ends it.
    fn begin_quoted<'text>(&mut self, rest: &'text str) -> AtStart<'text, ()> {
        let Some(Arguments::Tagged { value_close, quoting, .. }) = self.program.notation() else {
            return AtStart::Nothing;
        };
        let (space, words) = split_ascii_space(rest);
        match match_mark(&quoting.open, words) {
            Match::Full(length) => {
                self.data.argument.quoted = Quoted::Yes;
                let close = format!("{} {value_close}", quoting.close);
                self.data.argument.close_with(&Marker::new(close));
                #[expect(clippy::string_slice, reason = "both were found at the start of `rest`")]
                let opener = &rest[..space.len() + length];
                AtStart::Found((), opener)
            }
            Match::Partial if space.len() <= MOST_SPACE => AtStart::Wait,
            Match::Partial | Match::No => AtStart::Nothing,
        }
    }

    /// Whether what stands behind a closing tag can follow a value: another argument, or what closes
    /// the call.
    fn can_follow_value<'text>(&self, behind: &'text str, last: bool) -> AtStart<'text, ()> {
        let (space, next) = split_ascii_space(behind);
        if space.len() > MOST_SPACE || (next.is_empty() && last) {
            return AtStart::Found((), "");
        }
        if next.is_empty() {
            return AtStart::Wait;
        }
        match self.program.watched.in_arguments.at_start(next, last) {
            AtStart::Found(_, marker) => AtStart::Found((), marker),
            AtStart::Wait => AtStart::Wait,
            AtStart::Nothing => AtStart::Nothing,
        }
    }

    /// Takes a piece of the value.
    fn value_text(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        self.raw.push_str(text);
        let Self { program, data: Data { argument, .. }, call, .. } = self;
        if argument.streams {
            let text = program.quoting().map_or(Cow::Borrowed(text), |it| it.undone(text));
            escape_text(&text, |piece| call.arguments(piece, sink));
        } else {
            argument.value.push_str(text);
        }
    }

    /// Whether a text holds what shows that its own end was damaged: another argument of the tool, or, behind what
    /// closes the text, the opener of something else.
    fn holds_another(&self) -> bool {
        let (program, argument) = (&self.program, &self.data.argument);
        let Some(value) = self.raw.get(argument.start..) else { return true };
        if argument.quoted == Quoted::Yes {
            // Two quotes in a row are one; another one says that the first was never closed.
            let quoting = program.quoting().unwrap_or(&Quoting::NONE);
            let inside = value.trim_start().strip_prefix(&*quoting.open).unwrap_or(value);
            return inside.replace(&quoting.joint(), "").contains(&*quoting.open);
        }
        // Most values have neither, which is soon seen.
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
            let slot = program.ways.slot_like(|slot| *slot == Slot::Key);
            let end = slot.map(|slot| program.ways.end_of_word(slot, text, true));
            let Some(WordEnd::Found(key)) = end else { return false };
            let key = key.trim();
            of_tool.contains(key) && !self.call.has_key(key)
        };
        let mut rest = value;
        while let Search::Found { after, action, .. } =
            program.watched.in_arguments.search(rest, true)
        {
            rest = after;
            let is_behind = value.len() - rest.len() > closed;
            match program.ways.mark(action) {
                Some(Mark::KeyOpen) if is_behind || names_another(rest) => return true,
                Some(mark) if is_behind && mark.opens_call() => return true,
                _ => {}
            }
        }
        // What is no text holds nothing that closes it.
        let kinds = kinds_of_argument(schema, &argument.key);
        closed < value.len() && !kinds.intersects(Kinds::STRING)
    }

    /// Ends the value; false where what should end it, or a tag in it, is damaged.
    fn end_value(&mut self, sink: &mut impl Sink) -> bool {
        let Self { program, data: Data { argument, .. }, call, .. } = self;
        if argument.streams {
            call.arguments("\"", sink);
            return !self.holds_another();
        }
        let schema = arguments_schema(program, &call.name);
        let mut json = String::new();
        let is_sound = match program.notation().and_then(NestedTags::from_arguments) {
            Some(tags) => nested_to_json(&argument.value, tags, schema, &argument.key, &mut json),
            None => {
                let kinds = match argument.is_text {
                    Some(false) => Kinds::ANY,
                    _ => kinds_of_argument(schema, &argument.key),
                };
                let is_text = argument.quoted == Quoted::Yes && kinds.intersects(Kinds::STRING);
                let kinds = if is_text { Kinds::STRING } else { kinds };
                let quoting = program.quoting().unwrap_or(&Quoting::NONE);
                let mut value = std::mem::take(&mut argument.value);
                if is_text {
                    value = value.replace(&quoting.joint(), "");
                }
                value_to_json(&value, kinds, quoting, &mut json);
                // A literal may hold any text. One that is cut was damaged, where it may be no text.
                let is_cut = !kinds.intersects(Kinds::STRING) && is_cut_literal(&value);
                let is_sound = !json.starts_with('"') || !(is_cut || self.holds_another());
                // The memory is used again.
                self.data.argument.value = value;
                is_sound
            }
        };
        if is_sound {
            self.call.arguments(&json, sink);
        }
        self.data.argument.value.clear();
        is_sound
    }
}

impl Argument {
    fn close_with(&mut self, close: &Marker) {
        let mut markers = MarkerSet::new();
        markers.add(close, ());
        self.close = Some(markers);
    }
}

impl Program {
    /// How the arguments of named calls are written.
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

/// The schema of all arguments of a tool, where the caller gave the tool.
fn arguments_schema<'p>(program: &'p Program, tool: &str) -> Option<Schema<'p>> {
    program.tool(tool).map(|tool| Schema::from_map(&tool.parameters))
}

/// The kinds of values that an argument may be.
fn kinds_of_argument(schema: Option<Schema<'_>>, name: &str) -> Kinds {
    schema.map_or(Kinds::ANY, |schema| schema.kinds_at(&[schema::Step::Name(name)]))
}
