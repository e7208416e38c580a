//! A3: what a template does with a text that holds what markup is made of. It may write such texts between
//! quotes, or some of their letters in another way, and all others as they are.

use super::conversation::{FIRST, FIRST_ID, KEY, NUMBER, OTHER_KEY, VALUE, behind_question};
use super::probe::Prober;
use super::renders::RenderedCalls;
use super::{align::Piece, conversation::Offer};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{Escape, List, Marker, Quoting};

/// What a template may write in another way.
const LETTERS: [&str; 8] = ["&", "<", ">", "\"", "'", "\\", "\n", "</"];

/// Renders a text in which each letter, and the closing tag, stands between words, and compares.
pub(super) fn find(prober: &mut Prober<'_>, called: &RenderedCalls, close: &str) -> Quoting {
    let meant: Vec<&str> = LETTERS.into_iter().chain([close]).collect();
    let word = |at: usize| format!("zqpart{at}qz");
    let mut awkward = word(0);
    for (at, letter) in meant.iter().enumerate() {
        awkward = format!("{awkward}{letter}{}", word(at + 1));
    }
    let number = NUMBER.parse::<i64>().unwrap_or(0);
    let arguments = Map::from([(KEY, Value::from(awkward)), (OTHER_KEY, Value::from(number))]);
    let name = "a call with markup in a text";
    let output = called.render_other(prober, name, &[(FIRST, FIRST_ID, arguments)], Offer::Plain);
    let Some(reply) = output.as_deref().and_then(behind_question) else { return Quoting::NONE };

    let quoting = quotes(called, reply, [&word(0), &word(meant.len())], close);
    let mut quoting = quoting.unwrap_or_default();
    let mut escapes: Vec<Escape> = Vec::new();
    for (at, meant) in meant.into_iter().enumerate() {
        let Some(written) = reply.between(&word(at), &word(at + 1)) else { continue };
        // Letters that follow each other explain the tag.
        quoting.escapes = List::Owned(escapes.clone());
        if !written.is_blank() && quoting.undone(written.text()) != meant {
            let [written, meant] = [written.text(), meant].map(|it| it.to_owned().into());
            escapes.push(Escape { written, meant });
        }
    }
    quoting.escapes = List::Owned(escapes);
    quoting
}

/// What stands around a text with markup, and not around a number or another text.
fn quotes(
    called: &RenderedCalls,
    reply: Piece<'_>,
    words: [&str; 2],
    close: &str,
) -> Option<Quoting> {
    let plain = behind_question(&called.output)?;
    let front = reply.between(KEY, words[0])?.text();
    let others = [(OTHER_KEY, NUMBER), (KEY, VALUE)];
    let mut others = others.into_iter().filter_map(|(key, value)| plain.between(key, value));
    let open = others.find_map(|other| front.strip_prefix(other.text()))?;
    let close = reply.between(words[1], close)?.text().trim_end();
    // Prose begins with any other sign, too.
    let is_pair = Marker::new(open).is_markup() && !close.is_empty();
    let [open, close] = [open, close].map(|it| it.to_owned().into());
    is_pair.then_some(Quoting { open, close, ..Quoting::NONE })
}
