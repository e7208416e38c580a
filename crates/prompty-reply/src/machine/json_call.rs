//! Calls that are JSON objects, with their fields in any order.
//!
//! Without markup around it, an object is a call only if all its keys are keys of a call, and if
//! its tool is offered, in case the caller gave the tools. After text, it must also begin like a
//! call of an offered tool, and not be inside quotes, a list or an object. Other JSON is content.
//!
//! Each step reads one element. The [`ObjectPosition`] says which element is next. A call with a
//! function inside is read like this:
//!
//! | text | next position | effect |
//! |---|---|---|
//! | `{` | `Key` | `depth` becomes 1 |
//! | `"function"` | `Colon` | `field` becomes `Function` |
//! | `:` | `Value` | |
//! | `{` | `Key` | `depth` becomes 2 |
//! | `"name":` | `Value` | `field` becomes `Name` |
//! | `"f"` | `CommaOrEnd` | the call is reported |
//! | `, "arguments":` | `Value` | `field` becomes `Arguments` |
//! | `{"a": 1}` | `CommaOrEnd` | a [`LiteralReader`] reads and reports the arguments |
//! | `}` | `CommaOrEnd` | `depth` becomes 1 |
//! | `}` | | `depth` becomes 0, and `finish_object` decides what the object is |

use super::call_state::{CallField, LiteralQuotes, ObjectPosition};
use super::markers::{StartMatch, split_ascii_space};
use super::{Machine, Step, first_character};
use crate::convert::{LiteralNotation, LiteralProgress, LiteralReader, unescape_all};
use crate::event::Malformation;
use crate::format::JsonCall;
use crate::sink::Sink;
use prompty_core::work::add_steps;

/// The maximum length of a key or name, with its quotes. Its text is held until its closing quote,
/// so it must not grow forever.
const LONGEST_STRING: usize = 1024;

/// A quoted string at the start of a text.
enum QuotedString<'text> {
    /// Its content, and the string with its quotes.
    Complete(&'text str, &'text str),
    /// The text ends before the closing quote.
    Cut,
    /// The text does not begin with a quote, or the string is too long.
    None,
}

impl Machine<'_> {
    /// Reads the next element of the object.
    pub(super) fn step_object(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        use ObjectPosition::{Colon, CommaOrEnd, Key, Skipped, Start, Value};
        if self.data.object.position == Skipped {
            return self.skip_value(rest, sink);
        }
        let (space, _) = split_ascii_space(rest);
        if !space.is_empty() {
            return self.absorb_to(space, self.state, sink);
        }
        let byte = rest.as_bytes().first().copied().unwrap_or_default();
        match (self.data.object.position, byte) {
            (Start, b'{') => {
                self.data.object.depth = 1;
                self.take_to(first_character(rest), Key, sink)
            }
            (Key, b'"' | b'\'') => self.read_key(rest, sink),
            (Key | CommaOrEnd, b'}') => self.read_closing_brace(rest, sink),
            // A superfluous comma is ignored: `{, "name": "f"}`.
            (Key | CommaOrEnd, b',') => self.take_to(first_character(rest), Key, sink),
            (Colon, b':') => self.take_to(first_character(rest), Value, sink),
            (Value, _) => self.read_value(rest, byte, sink),
            (CommaOrEnd, _) => self.end_unclosed_object(rest, sink),
            _ => self.reject_object(sink),
        }
    }

    /// Takes text of the object, after which the element at `position` is expected.
    fn take_to(&mut self, text: &str, position: ObjectPosition, sink: &mut impl Sink) -> Step {
        self.data.object.position = position;
        self.absorb_to(text, self.state, sink)
    }

    /// Reads a key, which determines the meaning of its value.
    fn read_key(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let (key, quoted_key) = match read_quoted_string(rest) {
            QuotedString::Complete(key, quoted_key) => (key, quoted_key),
            QuotedString::Cut if !self.is_last => return Step::Wait(0),
            QuotedString::Cut | QuotedString::None => return self.reject_object(sink),
        };
        let Some(call) = self.program.json() else { return self.reject_object(sink) };
        let field = field_of(call, key, self.data.object.depth, self.opening.is_bare());
        let is_unknown = field == CallField::Other && !is_allowed_key(call, key);
        // An object outside markup is a call only if all its keys are keys of a call.
        if is_unknown && self.opening.is_bare() {
            return self.reject_object(sink);
        }
        self.data.object.has_other |= is_unknown;
        if call.name_is_key && self.data.object.depth == 1 {
            return self.take_name_key(key, quoted_key, sink);
        }
        self.data.object.field = field;
        self.take_to(quoted_key, ObjectPosition::Colon, sink)
    }

    /// Takes a name that is the key of the arguments: `{"get_weather": {…}}`.
    fn take_name_key(&mut self, name: &str, quoted_name: &str, sink: &mut impl Sink) -> Step {
        // A second key is another call.
        if !self.call.name.is_empty() || !self.may_be_called(name) {
            return self.reject_object(sink);
        }
        name.clone_into(&mut self.call.name);
        self.absorb(quoted_name, sink);
        self.begin_call(sink);
        self.data.object.field = CallField::Arguments;
        self.data.object.position = ObjectPosition::Colon;
        Step::Take(quoted_name.len())
    }

    /// Reads a value, or begins to read it if it is an object or has no meaning.
    fn read_value(&mut self, rest: &str, byte: u8, sink: &mut impl Sink) -> Step {
        // Arguments are an object, a string that contains one, or `null` (`None` in Python).
        let may_be_arguments = matches!(byte, b'{' | b'"' | b'n' | b'N');
        if self.data.object.field == CallField::Arguments
            && may_be_arguments
            && self.is_unreported_bare_call()
        {
            self.begin_call(sink);
        }
        match (self.data.object.field, byte) {
            // Only the first arguments count. Others are skipped.
            // `begin_literal` lets `step_in` read the next text with `step_arguments`.
            (CallField::Arguments, b'{') if !self.call.has_arguments => {
                self.begin_literal(LiteralReader::object(), LiteralQuotes::Unquoted);
                self.take_to("", ObjectPosition::Value, sink)
            }
            (CallField::Arguments, b'"') if !self.call.has_arguments => {
                self.begin_literal(LiteralReader::object(), LiteralQuotes::String);
                self.take_to(first_character(rest), ObjectPosition::Value, sink)
            }
            (CallField::Arguments, _) if !self.call.has_arguments && !may_be_arguments => {
                self.reject_object(sink)
            }
            (CallField::Function, b'{') => {
                self.data.object.depth += 1;
                self.take_to(first_character(rest), ObjectPosition::Key, sink)
            }
            (CallField::Name | CallField::Function | CallField::Id, b'"' | b'\'') => {
                let (text, written) = match read_quoted_string(rest) {
                    QuotedString::Complete(text, written) => (unescape_all(text), written),
                    QuotedString::Cut if !self.is_last => return Step::Wait(0),
                    QuotedString::Cut | QuotedString::None => return self.reject_object(sink),
                };
                self.take_name_or_id(&text, written, sink)
            }
            (field, _) => {
                // An id is a string or a number.
                if field == CallField::Id && matches!(byte, b'{' | b'[') {
                    self.data.object.field = CallField::Other;
                }
                self.data.reader = LiteralReader::value(LiteralNotation::default());
                self.take_to("", ObjectPosition::Skipped, sink)
            }
        }
    }

    /// Takes a string that is the name or the id. `written` is the string with its quotes.
    fn take_name_or_id(&mut self, text: &str, written: &str, sink: &mut impl Sink) -> Step {
        if self.data.object.field == CallField::Id {
            text.clone_into(&mut self.call.id);
            return self.take_to(written, ObjectPosition::CommaOrEnd, sink);
        }
        if self.call.is_open || !self.may_be_called(text) {
            return self.reject_object(sink);
        }
        self.set_name(text);
        self.absorb(written, sink);
        if !self.opening.is_bare() || self.call.has_arguments {
            self.begin_call(sink);
        }
        self.data.object.position = ObjectPosition::CommaOrEnd;
        Step::Take(written.len())
    }

    /// Whether a text may be the name of the called tool.
    fn may_be_called(&self, name: &str) -> bool {
        self.program.is_name(name) && (!self.opening.is_bare() || self.program.is_known(name))
    }

    /// Whether this is a call outside markup whose name was read. It is reported only when its
    /// arguments begin or the object ends, because many objects have a name.
    fn is_unreported_bare_call(&self) -> bool {
        self.opening.is_bare() && !self.call.is_open && !self.call.name.is_empty()
    }

    /// Skips a value without a meaning, or reads an id without quotes.
    fn skip_value(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let mut json = String::new();
        let piece = self.data.reader.read(rest, self.is_last, |piece| json.push_str(piece));
        self.absorb(piece.read, sink);
        let taken = piece.read.len();
        match piece.progress {
            LiteralProgress::More => return Step::Wait(taken),
            LiteralProgress::Done => {
                if self.data.object.field == CallField::Id && json != "null" {
                    self.call.id = json;
                }
                self.data.object.position = ObjectPosition::CommaOrEnd;
            }
            LiteralProgress::Unexpected => {
                self.reject_object(sink);
            }
        }
        Step::Take(taken)
    }

    /// Reads the closing brace.
    fn read_closing_brace(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        self.data.object.depth -= 1;
        if self.data.object.depth > 0 {
            return self.take_to(first_character(rest), ObjectPosition::CommaOrEnd, sink);
        }
        self.absorb("}", sink);
        self.finish_object(sink);
        Step::Take(1)
    }

    /// Ends the object: it is a call, or has no name.
    fn finish_object(&mut self, sink: &mut impl Sink) {
        let has_other = self.data.object.has_other;
        self.data.object.restart();
        // Without arguments, only the name of an offered tool shows that the object is a call.
        if self.is_unreported_bare_call() && self.program.known_tools.is_some() {
            self.begin_call(sink);
        }
        if !self.call.is_open {
            self.fail(Malformation::NoName, sink);
            return;
        }
        self.state = self.state_between_calls();
        match self.call.has_arguments {
            true => self.call.has_complete_arguments = true,
            // Another key may be a damaged `arguments` key.
            false if has_other => self.end_malformed(Malformation::NoArguments, sink),
            false => self.end_call_without_arguments(sink),
        }
    }

    /// Ends a call whose last brace is missing, if its arguments are complete.
    fn end_unclosed_object(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        match self.program.expected_markers.after_malformed_call.at_start(rest, self.is_last) {
            StartMatch::Wait => Step::Wait(0),
            StartMatch::Found(..) if self.call.is_open && self.call.has_arguments => {
                self.call.repaired = true;
                self.finish_object(sink);
                Step::Take(0)
            }
            _ => self.reject_object(sink),
        }
    }

    /// Rejects an object that is not a call.
    fn reject_object(&mut self, sink: &mut impl Sink) -> Step {
        let reason =
            if self.call.is_open { Malformation::WrongArguments } else { Malformation::NoName };
        self.fail(reason, sink)
    }
}

/// Whether a key is allowed without a meaning: the template writes it, or it is `type`.
fn is_allowed_key(call: &JsonCall, key: &str) -> bool {
    key == "type" || call.order.iter().any(|written| written == key)
}

/// Returns the meaning of a key. The keys of the format come first; after them, the keys of chat
/// APIs are understood in every format.
fn field_of(call: &JsonCall, key: &str, depth: usize, is_bare: bool) -> CallField {
    match key {
        // The key of an id is empty if calls have no id.
        "" if call.id_field.is_empty() || call.gen_id_field.is_empty() => CallField::Other,
        _ if key == call.id_field || key == call.gen_id_field => CallField::Id,
        _ if key == call.name_field => CallField::Name,
        _ if key == call.args_field => CallField::Arguments,
        "" => CallField::Other,
        _ if key == call.function_field => CallField::Function,
        "function" if depth == 1 && !is_bare => CallField::Function,
        "name" => CallField::Name,
        "arguments" | "parameters" => CallField::Arguments,
        "id" if call.id_field.is_empty() && call.gen_id_field.is_empty() => CallField::Id,
        _ => CallField::Other,
    }
}

/// Reads the string in quotes at the start of a text. Its escapes are kept.
#[expect(clippy::string_slice, reason = "there are ASCII quotes at 0 and where the loop ends")]
fn read_quoted_string(text: &str) -> QuotedString<'_> {
    let mut characters = text.char_indices();
    let Some((_, quote @ ('"' | '\''))) = characters.next() else { return QuotedString::None };
    let mut escaped = false;
    for (at, character) in characters {
        add_steps(1);
        if at >= LONGEST_STRING {
            return QuotedString::None;
        }
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return QuotedString::Complete(&text[1..at], &text[..=at]);
        }
    }
    QuotedString::Cut
}
