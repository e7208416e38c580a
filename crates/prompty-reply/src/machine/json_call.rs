//! Calls that are JSON objects: their fields, in any order.

use super::call_state::{Field, Place, Quotes};
use super::markers::{AtStart, split_ascii_space};
use super::{Machine, Step, first_character};
use crate::convert::{LiteralReader, Notation, Progress, unescape_whole};
use crate::event::Malformation;
use crate::format::JsonCall;
use crate::sink::Sink;
use prompty_core::work::add_steps;

/// The longest key or name, with its quotes.
const LONGEST: usize = 1024;

/// A text in quotes at a text's start.
enum Quoted<'text> {
    /// Its inside, and the text with its quotes.
    Complete(&'text str, &'text str),
    Cut,
    None,
}

impl Machine<'_> {
    pub(super) fn step_object(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        if self.data.object.place == Place::Skipped {
            return self.skip_value(rest, last, sink);
        }
        let (space, _) = split_ascii_space(rest);
        if !space.is_empty() {
            return self.absorb_to(space, self.state, sink);
        }
        let byte = rest.as_bytes().first().copied().unwrap_or_default();
        match (self.data.object.place, byte) {
            (Place::Start, b'{') => {
                self.data.object.depth = 1;
                self.go(first_character(rest), Place::Key, sink)
            }
            (Place::Key, b'"' | b'\'') => self.key(rest, last, sink),
            (Place::Key | Place::CommaOrEnd, b'}') => self.end_object(rest, sink),
            (Place::Key | Place::CommaOrEnd, b',') => {
                self.go(first_character(rest), Place::Key, sink)
            }
            (Place::Colon, b':') => self.go(first_character(rest), Place::Value, sink),
            (Place::Value, _) => self.value(rest, byte, last, sink),
            (Place::CommaOrEnd, _) => self.cut_short(rest, last, sink),
            _ => self.reject_object(sink),
        }
    }

    fn go(&mut self, text: &str, place: Place, sink: &mut impl Sink) -> Step {
        self.data.object.place = place;
        self.absorb_to(text, self.state, sink)
    }

    /// Reads a key, which says what its value is.
    fn key(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let (key, quoted_key) = match quoted(rest) {
            Quoted::Complete(key, quoted_key) => (key, quoted_key),
            Quoted::Cut if !last => return Step::Wait(0),
            Quoted::Cut | Quoted::None => return self.reject_object(sink),
        };
        let Some(call) = self.program.json() else { return self.reject_object(sink) };
        let field = field_of(call, key, self.data.object.depth, self.opening.is_bare());
        // An object outside of markup is a call only if all of its keys are those of one.
        if field == Field::Other && self.opening.is_bare() && !writes(call, key) {
            return self.reject_object(sink);
        }
        // Where the name is the key, another key is another call.
        if call.name_is_key && self.data.object.depth == 1 && !self.call.name.is_empty() {
            return self.reject_object(sink);
        }
        self.data.object.field = field;
        self.data.object.has_other |= field == Field::Other && !writes(call, key);
        if call.name_is_key && self.data.object.depth == 1 && self.call.name.is_empty() {
            if !self.program.is_name(key) || (self.opening.is_bare() && !self.program.is_known(key))
            {
                return self.reject_object(sink);
            }
            key.clone_into(&mut self.call.name);
            self.absorb(quoted_key, sink);
            self.begin_call(sink);
            self.data.object.field = Field::Arguments;
            self.data.object.place = Place::Colon;
            return Step::Take(quoted_key.len());
        }
        self.go(quoted_key, Place::Colon, sink)
    }

    fn value(&mut self, rest: &str, byte: u8, last: bool, sink: &mut impl Sink) -> Step {
        let begins_arguments = matches!(byte, b'{' | b'"' | b'n' | b'N');
        if self.data.object.field == Field::Arguments && begins_arguments && self.is_named_only() {
            self.begin_call(sink);
        }
        match (self.data.object.field, byte) {
            // The first arguments count. Others are skipped.
            (Field::Arguments, b'{') if !self.call.has_arguments => {
                self.begin_literal(LiteralReader::object(), Quotes::None);
                self.go("", Place::Value, sink)
            }
            (Field::Arguments, b'"') if !self.call.has_arguments => {
                self.begin_literal(LiteralReader::object(), Quotes::Text);
                self.go(first_character(rest), Place::Value, sink)
            }
            // Arguments are an object, or nothing.
            (Field::Arguments, _) if !self.call.has_arguments && byte != b'n' && byte != b'N' => {
                self.reject_object(sink)
            }
            (Field::Function, b'{') => {
                self.data.object.depth += 1;
                self.go(first_character(rest), Place::Key, sink)
            }
            (Field::Name | Field::Function | Field::Id, b'"' | b'\'') => {
                let (text, quoted) = match quoted(rest) {
                    Quoted::Complete(text, quoted) => (unescape_whole(text), quoted),
                    Quoted::Cut if !last => return Step::Wait(0),
                    Quoted::Cut | Quoted::None => return self.reject_object(sink),
                };
                self.name_or_id(&text, quoted, sink)
            }
            (field, _) => {
                // An id is a text or a number.
                if field == Field::Id && matches!(byte, b'{' | b'[') {
                    self.data.object.field = Field::Other;
                }
                self.data.reader = LiteralReader::value(Notation::default());
                self.go("", Place::Skipped, sink)
            }
        }
    }

    fn name_or_id(&mut self, text: &str, quoted: &str, sink: &mut impl Sink) -> Step {
        if self.data.object.field == Field::Id {
            text.clone_into(&mut self.call.id);
            return self.go(quoted, Place::CommaOrEnd, sink);
        }
        if self.call.is_open()
            || !self.program.is_name(text)
            || (self.opening.is_bare() && !self.program.is_known(text))
        {
            return self.reject_object(sink);
        }
        self.set_name(text);
        self.absorb(quoted, sink);
        if !self.opening.is_bare() || self.call.has_arguments {
            self.begin_call(sink);
        }
        self.data.object.place = Place::CommaOrEnd;
        Step::Take(quoted.len())
    }

    /// Whether a call outside of markup has a name, and is not told yet: many an object has a name.
    fn is_named_only(&self) -> bool {
        self.opening.is_bare() && !self.call.is_open() && !self.call.name.is_empty()
    }

    /// Skips a value that means nothing, or reads an id without quotes.
    fn skip_value(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let mut written = String::new();
        let piece = self.data.reader.read(rest, last, |piece| written.push_str(piece));
        self.absorb(piece.read, sink);
        let taken = piece.read.len();
        match piece.progress {
            Progress::More => return Step::Wait(taken),
            Progress::Done => {
                if self.data.object.field == Field::Id && written != "null" {
                    self.call.id = written;
                }
                self.data.object.place = Place::CommaOrEnd;
            }
            Progress::Unexpected => {
                self.reject_object(sink);
            }
        }
        Step::Take(taken)
    }

    /// Reads the closing brace.
    fn end_object(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        self.data.object.depth -= 1;
        if self.data.object.depth > 0 {
            return self.go(first_character(rest), Place::CommaOrEnd, sink);
        }
        self.absorb("}", sink);
        self.end_of_object(sink);
        Step::Take(1)
    }

    fn end_of_object(&mut self, sink: &mut impl Sink) {
        let has_other = self.data.object.has_other;
        self.data.object.restart();
        if self.is_named_only() && self.program.known_tools.is_some() {
            self.begin_call(sink);
        }
        if !self.call.is_open() {
            self.fail(Malformation::NoName, sink);
            return;
        }
        self.state = self.between_calls();
        match self.call.has_arguments {
            true => self.call.is_whole = true,
            // Another key may be theirs, damaged.
            false if has_other => self.end_malformed(Malformation::NoArguments, sink),
            false => self.end_call_without_arguments(sink),
        }
    }

    /// Ends a call whose last brace is missing, if its arguments are complete.
    fn cut_short(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        match self.program.watched.behind_broken.at_start(rest, last) {
            AtStart::Wait => Step::Wait(0),
            AtStart::Found(..) if self.call.is_open() && self.call.has_arguments => {
                self.call.mended = true;
                self.end_of_object(sink);
                Step::Take(0)
            }
            _ => self.reject_object(sink),
        }
    }

    /// Gives up an object that is no call.
    fn reject_object(&mut self, sink: &mut impl Sink) -> Step {
        let reason =
            if self.call.is_open() { Malformation::WrongArguments } else { Malformation::NoName };
        self.fail(reason, sink)
    }
}

/// Whether a call has a key that means nothing: one that the template writes, or `type`.
fn writes(call: &JsonCall, key: &str) -> bool {
    key == "type" || call.order.iter().any(|written| written == key)
}

/// What the value of a key is. The keys of chat APIs are understood in every format.
fn field_of(call: &JsonCall, key: &str, depth: usize, is_bare: bool) -> Field {
    let is_inside = !call.function_field.is_empty();
    if key == call.id_field || key == call.gen_id_field {
        return if key.is_empty() { Field::Other } else { Field::Id };
    }
    if key == call.name_field {
        return Field::Name;
    }
    if key == call.args_field {
        return Field::Arguments;
    }
    match key {
        _ if is_inside && key == call.function_field => Field::Function,
        "function" if depth == 1 && !is_bare => Field::Function,
        "name" => Field::Name,
        "arguments" | "parameters" => Field::Arguments,
        "id" if call.id_field.is_empty() && call.gen_id_field.is_empty() => Field::Id,
        _ => Field::Other,
    }
}

#[expect(clippy::string_slice, reason = "there are ASCII quotes at 0 and where the loop ends")]
fn quoted(text: &str) -> Quoted<'_> {
    let mut characters = text.char_indices();
    let Some((_, quote @ ('"' | '\''))) = characters.next() else { return Quoted::None };
    let mut escaped = false;
    for (at, character) in characters {
        add_steps(1);
        if at >= LONGEST {
            return Quoted::None;
        }
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return Quoted::Complete(&text[1..at], &text[..=at]);
        }
    }
    Quoted::Cut
}
