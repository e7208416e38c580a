//! Finds how a template writes a string that contains the characters of markup, if arguments are
//! written between tags (`Arguments::Tagged`). The template may put such strings in quotes, or
//! escape some of their characters, and leave all other strings unchanged. In the table of steps at
//! the head of `analysis`, this is A3.

use super::conversation::{FIRST, FIRST_ID, KEY, NUMBER, OTHER_KEY, VALUE, after_question};
use super::probe::FormatProber;
use super::renders::CallRender;
use super::{conversation::ToolOffer, piece::Piece};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{Escape, List, Marker, Quoting};

/// The strings that a template may escape. The single characters come first, because their escapes
/// may explain what is written for the longer string.
const ESCAPED: [&str; 8] = ["&", "<", ">", "\"", "'", "\\", "\n", "</"];

/// Renders a call with one string: each of [`ESCAPED`], and `value_close`, the closing tag of a
/// value, between two words. Then it compares what is written between the words with what is meant.
///
/// Example: of `zqpart0qz&zqpart1qz<zqpart2qz…`, the template writes
/// `<v>zqpart0qz&zqpart1qz&lt;zqpart2qz…</v>`. So `&` is unchanged, and `&lt;` is written for `<`.
pub(super) fn find(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    value_close: &str,
) -> Quoting {
    let all_meant: Vec<&str> = ESCAPED.into_iter().chain([value_close]).collect();
    let word = |number: usize| format!("zqpart{number}qz");
    let mut combined = word(0);
    for (index, meant) in all_meant.iter().enumerate() {
        combined = format!("{combined}{meant}{}", word(index + 1));
    }
    let number = NUMBER.parse::<i64>().unwrap_or(0);
    let arguments = Map::from([(KEY, Value::from(combined)), (OTHER_KEY, Value::from(number))]);
    let name = "a call with markup in a text";
    let output =
        called.render_other(prober, name, &[(FIRST, FIRST_ID, arguments)], ToolOffer::Plain);
    let Some(reply) = output.as_deref().and_then(after_question) else { return Quoting::NONE };

    let quotes = find_quotes(called, reply, [&word(0), &word(all_meant.len())], value_close);
    let mut quoting = quotes.unwrap_or_default();
    let mut escapes: Vec<Escape> = Vec::new();
    for (index, meant) in all_meant.into_iter().enumerate() {
        let Some(written) = reply.between(&word(index), &word(index + 1)) else { continue };
        // The escapes of single characters may already explain `</` and the tag.
        quoting.escapes = List::Owned(escapes.clone());
        if !written.is_blank() && quoting.unescape(written.text()) != meant {
            escapes.push(Escape {
                written: written.text().to_owned().into(),
                meant: meant.to_owned().into(),
            });
        }
    }
    quoting.escapes = List::Owned(escapes);
    quoting
}

/// Finds the quotes around a string with markup: the text that is before this string, but not
/// before other values. `words` are the first and the last word of the string.
///
/// Example: `KEY><v><![CDATA[` is before the string, and `OTHER_KEY><v>` before a number. So the
/// opening quote is `<![CDATA[`. The number is compared first, because it never has quotes, and a
/// string without markup may have them. That string is compared if the tag of a number differs, as
/// in `OTHER_KEY type="number"><v>`.
fn find_quotes(
    called: &CallRender,
    reply: Piece<'_>,
    words: [&str; 2],
    value_close: &str,
) -> Option<Quoting> {
    let plain = after_question(&called.output)?;
    let front = reply.between(KEY, words[0])?.text();
    let others = [(OTHER_KEY, NUMBER), (KEY, VALUE)];
    let mut other_fronts = others.into_iter().filter_map(|(key, value)| plain.between(key, value));
    let open = other_fronts.find_map(|other| front.strip_prefix(other.text()))?;
    let close = reply.between(words[1], value_close)?.text().trim_end();
    // An opener that is not markup may also be the start of prose.
    let is_pair = Marker::new(open).is_markup() && !close.is_empty();
    let [open, close] = [open, close].map(|it| it.to_owned().into());
    is_pair.then_some(Quoting { open, close, ..Quoting::NONE })
}
