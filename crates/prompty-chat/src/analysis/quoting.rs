//! A3: how a template writes a string that contains the characters of markup. It may put such
//! strings in quotes, or escape some of their characters, and leave all other strings unchanged.

use super::conversation::{FIRST, FIRST_ID, KEY, NUMBER, OTHER_KEY, VALUE, after_question};
use super::probe::FormatProber;
use super::renders::CallRender;
use super::{conversation::ToolOffer, piece::Piece};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{Escape, List, Marker, Quoting};

/// The strings that a template may escape.
const ESCAPED: [&str; 8] = ["&", "<", ">", "\"", "'", "\\", "\n", "</"];

/// Renders a string in which each of [`ESCAPED`], and `close`, the closing tag of a value, is
/// between two words, and compares what is written between the words. Example: `&lt;` for `<`.
pub(super) fn find(prober: &mut FormatProber<'_>, called: &CallRender, close: &str) -> Quoting {
    let meant: Vec<&str> = ESCAPED.into_iter().chain([close]).collect();
    let word = |number: usize| format!("zqpart{number}qz");
    let mut combined = word(0);
    for (index, escaped) in meant.iter().enumerate() {
        combined = format!("{combined}{escaped}{}", word(index + 1));
    }
    let number = NUMBER.parse::<i64>().unwrap_or(0);
    let arguments = Map::from([(KEY, Value::from(combined)), (OTHER_KEY, Value::from(number))]);
    let name = "a call with markup in a text";
    let output =
        called.render_other(prober, name, &[(FIRST, FIRST_ID, arguments)], ToolOffer::Plain);
    let Some(reply) = output.as_deref().and_then(after_question) else { return Quoting::NONE };

    let quoting = quotes(called, reply, [&word(0), &word(meant.len())], close);
    let mut quoting = quoting.unwrap_or_default();
    let mut escapes: Vec<Escape> = Vec::new();
    for (index, meant) in meant.into_iter().enumerate() {
        let Some(written) = reply.between(&word(index), &word(index + 1)) else { continue };
        // The escapes of single characters may already explain `</` and the tag.
        quoting.escapes = List::Owned(escapes.clone());
        if !written.is_blank() && quoting.unescape(written.text()) != meant {
            let [written, meant] = [written.text(), meant].map(|it| it.to_owned().into());
            escapes.push(Escape { written, meant });
        }
    }
    quoting.escapes = List::Owned(escapes);
    quoting
}

/// The text around a string with markup that is not around a number or another string. `words` are
/// the first and the last word of the string.
fn quotes(called: &CallRender, reply: Piece<'_>, words: [&str; 2], close: &str) -> Option<Quoting> {
    let plain = after_question(&called.output)?;
    let front = reply.between(KEY, words[0])?.text();
    let others = [(OTHER_KEY, NUMBER), (KEY, VALUE)];
    let mut fronts = others.into_iter().filter_map(|(key, value)| plain.between(key, value));
    let open = fronts.find_map(|other| front.strip_prefix(other.text()))?;
    let close = reply.between(words[1], close)?.text().trim_end();
    // An opener that is not markup may also be the start of prose.
    let is_pair = Marker::new(open).is_markup() && !close.is_empty();
    let [open, close] = [open, close].map(|it| it.to_owned().into());
    is_pair.then_some(Quoting { open, close, ..Quoting::NONE })
}
