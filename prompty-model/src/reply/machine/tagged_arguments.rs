//! Arguments in tags, each with its key.

use super::markers::{AtStart, MarkerPlace, MarkerSet, Search, common_start, find_marker};
use super::program::{Action, Program};
use super::{Machine, State, Step, leading_ascii_space};
use crate::reply::convert::{NestedTags, nested_to_json, value_to_json};
use crate::reply::event::Malformation;
use crate::reply::format::{Arguments, Marker, Suffix};
use crate::reply::sink::Sink;
use prompty_core::schema::{self, Kinds, Schema};
use prompty_core::text::slice;
use prompty_core::value::internal::json::escape_text;
use prompty_core::work::add_steps;

/// How much white space may follow a closing tag.
const MOST_SPACE: usize = 64;

impl Machine<'_> {
    /// Reads what stands between arguments.
    pub(super) fn step_between_arguments(
        &mut self,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let space = leading_ascii_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::BetweenArguments, sink);
        }
        match self.program.argument_markers.at_start(rest, last) {
            AtStart::Wait => Step::Wait(0),
            AtStart::Found(Action::OpenKey, length) => {
                self.absorb_to(rest, length, State::Key, sink)
            }
            AtStart::Found(..) => {
                self.end_tagged(sink);
                self.after_call(State::AfterArguments)
            }
            AtStart::Nothing if rest.starts_with(',') => {
                self.absorb_to(rest, 1, State::BetweenArguments, sink)
            }
            AtStart::Nothing if rest.starts_with('{') && !self.call.has_arguments => {
                self.json_arguments(rest, last, sink)
            }
            AtStart::Nothing => self.fail(Malformation::WrongMarkup, sink),
        }
    }

    /// Ends a call whose arguments stand in tags.
    pub(super) fn end_tagged(&mut self, sink: &mut impl Sink) {
        if self.call.has_arguments {
            self.call.arguments("}", sink);
            self.end_call(sink);
        } else {
            self.end_call_without_arguments(sink);
        }
    }

    /// The marker behind a key, for both kinds of tags.
    fn key_suffix(&self) -> Option<(&Marker, Option<&Suffix>)> {
        match &self.program.named()?.arguments {
            Arguments::Tagged { key_close, .. } => Some((&key_close.text, Some(key_close))),
            Arguments::Nested { open_suffix, .. } => Some((open_suffix, None)),
            Arguments::Json | Arguments::Literal { .. } => None,
        }
    }

    pub(super) fn step_key(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Some((marker, suffix)) = self.key_suffix() else {
            return self.fail(Malformation::WrongMarkup, sink);
        };
        let (end, length) = match find_marker(marker, rest, last) {
            MarkerPlace::At(end, length) => (end, length),
            MarkerPlace::Wait => return Step::Wait(0),
            MarkerPlace::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        let has_hint = suffix.is_some_and(|suffix| suffix.hint.is_some());
        self.argument.after = marker.after.clone();
        self.argument.skipped = 0;
        self.argument.key = slice(rest, ..end).trim().to_owned();
        self.argument.is_text = None;
        if has_hint {
            return self.absorb_to(rest, end + length, State::KeyHint, sink);
        }
        self.begin_value(sink);
        self.absorb_to(rest, end + length, State::ValueStart, sink)
    }

    pub(super) fn step_key_hint(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let hint = self.key_suffix().and_then(|(_, suffix)| suffix?.hint.as_ref());
        let Some(hint) = hint else { return self.fail(Malformation::WrongMarkup, sink) };
        let (word, end) = match find_marker(&hint.end, rest, last) {
            MarkerPlace::At(at, length) => (slice(rest, ..at).trim(), at + length),
            MarkerPlace::Wait => return Step::Wait(0),
            MarkerPlace::Missing => return self.fail(Malformation::WrongMarkup, sink),
        };
        let is_text = hint.string.iter().any(|text| text == word);
        let after = hint.end.after.clone();
        self.argument.is_text = (!hint.string.is_empty()).then_some(is_text);
        self.argument.after = after;
        self.begin_value(sink);
        self.absorb_to(rest, end, State::ValueStart, sink)
    }

    /// Reports the key, and decides how the value is read.
    fn begin_value(&mut self, sink: &mut impl Sink) {
        let Self { program, argument, call, .. } = self;
        call.arguments(if call.has_arguments { ", \"" } else { "{\"" }, sink);
        call.has_arguments = true;
        escape_text(&argument.key, |piece| call.arguments(piece, sink));
        call.arguments("\": ", sink);
        argument.value.clear();
        let kinds = kinds_of_argument(arguments_schema(program, &call.name), &argument.key);
        argument.streams = match argument.is_text {
            Some(is_text) => is_text,
            None => kinds == Kinds::STRING,
        };
        if argument.streams {
            call.arguments("\"", sink);
        }
        let close = match program.named().map(|call| &call.arguments) {
            Some(Arguments::Nested { close_prefix, close_suffix, .. }) => Marker {
                before: close_prefix.before.clone(),
                text: format!("{}{}{}", close_prefix.text, argument.key, close_suffix.text).into(),
                after: close_suffix.after.clone(),
            },
            Some(Arguments::Tagged { value_close, .. }) if argument.close.is_none() => {
                value_close.clone()
            }
            _ => return,
        };
        let mut markers = MarkerSet::new();
        markers.add(&close, Action::CloseContent);
        argument.close = Some(markers);
    }

    /// Leaves out the white space that the opening tag brings with it.
    pub(super) fn step_value_start(
        &mut self,
        rest: &str,
        _last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let expected = slice(&self.argument.after, self.argument.skipped..);
        let common = common_start(rest, expected);
        if common == rest.len() && common < expected.len() {
            self.argument.skipped += common;
            return self.absorb_to(rest, common, State::ValueStart, sink);
        }
        self.absorb_to(rest, common, State::Value, sink)
    }

    pub(super) fn step_value(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Some(close) = &self.argument.close else {
            return self.fail(Malformation::WrongMarkup, sink);
        };
        match close.search(rest, last) {
            Search::Sure(end) => {
                self.value_text(slice(rest, ..end), sink);
                Step::Wait(end)
            }
            Search::Found { start, end, .. } => {
                let behind = slice(rest, end..);
                match self.can_follow_value(behind, last) {
                    AtStart::Wait => {
                        self.value_text(slice(rest, ..start), sink);
                        Step::Wait(start)
                    }
                    // A closing tag that no argument and no end of the call follows is data.
                    AtStart::Nothing => {
                        self.value_text(slice(rest, ..end), sink);
                        Step::Take(end)
                    }
                    AtStart::Found(..) => {
                        self.value_text(slice(rest, ..start), sink);
                        self.absorb(slice(rest, start..end), sink);
                        self.end_value(sink);
                        self.state = State::BetweenArguments;
                        Step::Take(end)
                    }
                }
            }
        }
    }

    /// Whether what stands behind a closing tag can follow a value: another argument, or what closes
    /// the call.
    fn can_follow_value(&self, behind: &str, last: bool) -> AtStart<()> {
        let space = leading_ascii_space(behind);
        let next = slice(behind, space..);
        if space > MOST_SPACE || (next.is_empty() && last) {
            return AtStart::Found((), 0);
        }
        if next.is_empty() {
            return AtStart::Wait;
        }
        match self.program.argument_markers.at_start(next, last) {
            AtStart::Found(_, length) => AtStart::Found((), length),
            AtStart::Wait => AtStart::Wait,
            AtStart::Nothing => AtStart::Nothing,
        }
    }

    /// Takes a piece of the value.
    fn value_text(&mut self, text: &str, sink: &mut impl Sink) {
        add_steps(text.len());
        self.raw.push_str(text);
        let Self { argument, call, .. } = self;
        if argument.streams {
            escape_text(text, |piece| call.arguments(piece, sink));
        } else {
            argument.value.push_str(text);
        }
    }

    fn end_value(&mut self, sink: &mut impl Sink) {
        let Self { program, argument, call, .. } = self;
        if argument.streams {
            return call.arguments("\"", sink);
        }
        let schema = arguments_schema(program, &call.name);
        let mut json = String::new();
        match program.named().map(|call| &call.arguments) {
            Some(Arguments::Nested {
                open_prefix,
                open_suffix,
                close_prefix,
                close_suffix,
                item,
            }) => {
                let tags = NestedTags {
                    open_prefix: &open_prefix.text,
                    open_suffix: &open_suffix.text,
                    close_prefix: &close_prefix.text,
                    close_suffix: &close_suffix.text,
                    item,
                };
                nested_to_json(&argument.value, tags, schema, &argument.key, &mut json);
            }
            _ => {
                let kinds = match argument.is_text {
                    Some(false) => Kinds::ANY,
                    _ => kinds_of_argument(schema, &argument.key),
                };
                value_to_json(&argument.value, kinds, &mut json);
            }
        }
        call.arguments(&json, sink);
        argument.value.clear();
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
