//! Conversion of values from the model's notation to JSON.

mod escape;
mod literal;
mod nested;
mod quoting;
mod word;

pub(super) use escape::{unescape, unescape_all};
pub(super) use literal::{LiteralNotation, LiteralProgress, LiteralReader};
pub(super) use nested::{NestedTags, nested_to_json};
pub(super) use word::PYTHON_WORDS;

use crate::format::Quoting;
use prompty_core::schema::Kinds;
use prompty_core::value::internal::json::escape_text;

/// Writes a complete value as JSON. A JSON or Python literal of one of these kinds is written as
/// its value, anything else as a string. A literal may have the escapes of strings.
pub(super) fn value_to_json(text: &str, kinds: Kinds, quoting: &Quoting, out: &mut String) {
    let unescaped = quoting.unescape(text);
    let spellings = [Some(text), Some(&*unescaped).filter(|it| *it != text)];
    for literal in spellings.into_iter().flatten().filter(|_| kinds != Kinds::STRING) {
        let start = out.len();
        if literal_to_json(literal.trim(), out)
            && out.get(start..).is_some_and(|json| admits(kinds, json))
        {
            return;
        }
        out.truncate(start);
    }
    write_string(&unescaped, out);
}

/// Writes a text as a JSON string, with quotes.
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    escape_text(text, |piece| out.push_str(piece));
    out.push('"');
}

/// Whether an argument of these kinds may have this JSON value. A string in quotes is never meant,
/// because strings in markup have no quotes.
fn admits(kinds: Kinds, json: &str) -> bool {
    let kind = Kinds::from_json_start(json);
    kind != Kinds::STRING && kinds.intersects(kind)
}

/// Whether a text is the beginning of a literal.
pub(super) fn is_incomplete_literal(text: &str) -> bool {
    let mut reader = LiteralReader::value(LiteralNotation::default());
    reader.read(text.trim(), true, |_| {}).progress == LiteralProgress::More
}

/// Writes a complete literal as JSON. Returns false, possibly after writing a part, if the text is
/// not a literal.
fn literal_to_json(text: &str, out: &mut String) -> bool {
    let mut reader = LiteralReader::value(LiteralNotation::default());
    let piece = reader.read(text, true, |piece| out.push_str(piece));
    piece.progress == LiteralProgress::Done && piece.rest.is_empty()
}
