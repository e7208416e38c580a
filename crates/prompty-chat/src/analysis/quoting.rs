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

/// Renders a string in which each of these, and the closing tag, is between words, and compares.
pub(super) fn find(prober: &mut FormatProber<'_>, called: &CallRender, close: &str) -> Quoting {
    let meant: Vec<&str> = ESCAPED.into_iter().chain([close]).collect();
    let word = |at: usize| format!("zqpart{at}qz");
    let mut combined = word(0);
    for (at, escaped) in meant.iter().enumerate() {
        combined = format!("{combined}{escaped}{}", word(at + 1));
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
    for (at, meant) in meant.into_iter().enumerate() {
        let Some(written) = reply.between(&word(at), &word(at + 1)) else { continue };
        // The escapes of single characters may already explain the tag.
        quoting.escapes = List::Owned(escapes.clone());
        if !written.is_blank() && quoting.unescape(written.text()) != meant {
            let [written, meant] = [written.text(), meant].map(|it| it.to_owned().into());
            escapes.push(Escape { written, meant });
        }
    }
    quoting.escapes = List::Owned(escapes);
    quoting
}

/// The text around a string with markup that is not around a number or another string.
fn quotes(called: &CallRender, reply: Piece<'_>, words: [&str; 2], close: &str) -> Option<Quoting> {
    let plain = after_question(&called.output)?;
    let front = reply.between(KEY, words[0])?.text();
    let others = [(OTHER_KEY, NUMBER), (KEY, VALUE)];
    let mut others = others.into_iter().filter_map(|(key, value)| plain.between(key, value));
    let open = others.find_map(|other| front.strip_prefix(other.text()))?;
    let close = reply.between(words[1], close)?.text().trim_end();
    // Any other character may also be the start of prose.
    let is_pair = Marker::new(open).is_markup() && !close.is_empty();
    let [open, close] = [open, close].map(|it| it.to_owned().into());
    is_pair.then_some(Quoting { open, close, ..Quoting::NONE })
}
