//! A3: what a template does with a text that holds what markup is made of. It may write such texts between
//! quotes, or some of their letters in another way, and all others as they are.

use super::conversation::{FIRST, FIRST_ID, KEY, NUMBER, OTHER_KEY, VALUE};
use super::probe::Prober;
use super::renders::{RenderedCalls, behind_question};
use super::{align::Piece, conversation::Offer};
use crate::reply::format::{Escape, List, Quoting};
use prompty_core::value::{Map, Value};

/// What a template may write in another way.
const LETTERS: [&str; 7] = ["&", "<", ">", "\"", "'", "\\", "\n"];

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

    let mut quoting = quotes(called, reply, &word(0), &word(meant.len())).unwrap_or_default();
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

/// What stands around a text with markup, and not around another one.
fn quotes(called: &RenderedCalls, reply: Piece<'_>, first: &str, last: &str) -> Option<Quoting> {
    let plain = behind_question(&called.output)?;
    let front = reply.between(KEY, first)?.text();
    let open = front.strip_prefix(plain.between(KEY, VALUE)?.text())?;
    let behind = reply.between(last, OTHER_KEY)?.text();
    let close = behind.strip_suffix(plain.between(VALUE, OTHER_KEY)?.text())?;
    let is_pair = !open.trim().is_empty() && !close.trim().is_empty();
    let [open, close] = [open, close].map(|it| it.to_owned().into());
    is_pair.then_some(Quoting { open, close, ..Quoting::NONE })
}
