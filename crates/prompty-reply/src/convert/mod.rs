//! Values in the notation of the model, made into JSON piece by piece.

mod escape;
mod literal;
mod nested;
mod quoting;
mod word;

pub(super) use escape::{unescape, unescape_whole};
pub(super) use literal::{LiteralReader, Notation, Progress};
pub(super) use nested::{NestedTags, nested_to_json};
pub(super) use word::PYTHON_WORDS;

use crate::format::Quoting;
use prompty_core::schema::Kinds;
use prompty_core::value::internal::json::escape_text;

/// Writes a whole value as JSON: as the value of its JSON or Python literal where that is of one of
/// these kinds, else as a text. A literal may be quoted as texts are.
pub(super) fn value_to_json(text: &str, kinds: Kinds, quoting: &Quoting, out: &mut String) {
    let undone = quoting.undone(text);
    let spellings = [Some(text), Some(&*undone).filter(|it| *it != text)];
    for literal in spellings.into_iter().flatten().filter(|_| kinds != Kinds::STRING) {
        let start = out.len();
        if literal_to_json(literal.trim(), out)
            && out.get(start..).is_some_and(|json| admits(kinds, json))
        {
            return;
        }
        out.truncate(start);
    }
    write_text(&undone, out);
}

/// A text as JSON, quotes included.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    escape_text(text, |piece| out.push_str(piece));
    out.push('"');
}

/// Whether an argument of these kinds may be a JSON text. One in quotes is never meant: the markup
/// has texts without.
fn admits(kinds: Kinds, json: &str) -> bool {
    let kind = Kinds::from_json_start(json);
    kind != Kinds::STRING && kinds.intersects(kind)
}

/// Whether a text is the beginning of a literal.
pub(super) fn is_cut_literal(text: &str) -> bool {
    let mut reader = LiteralReader::value(Notation::default());
    reader.read(text.trim(), true, |_| {}).progress == Progress::More
}

/// Writes a whole literal as JSON; false, with part of it written, where the text is none.
fn literal_to_json(text: &str, out: &mut String) -> bool {
    let mut reader = LiteralReader::value(Notation::default());
    let piece = reader.read(text, true, |piece| out.push_str(piece));
    piece.progress == Progress::Done && piece.rest.is_empty()
}
