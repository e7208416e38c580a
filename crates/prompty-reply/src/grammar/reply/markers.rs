//! Markers of a template as expressions.
//!
//! For the marker `\n<call>\nname `, `marker_with_space` writes all of it, and `marker_text` only
//! `<call>\nname`. In both, line breaks may be missing.

use crate::format::Marker;
use crate::grammar::Expression;
use crate::layout::{LayoutPart, Mark};

/// The maximum number of end-of-turn tokens that may each be missing. The rest of the end is one
/// more token.
const MOST_END_TOKENS: usize = 32;

/// The maximum number of [`spellings`] of a marker.
const MOST_SPELLINGS: usize = 16;

/// The end of the turn, as far as the model writes it: `("<a>" "<b>"?)?` for the end `<a><b>`.
pub(super) fn ends(reply: &LayoutPart) -> Expression {
    let ends = reply.marked(Mark::TurnEnd).map(|end| {
        // Token by token, because the last of them may be the one that stops the model.
        let mut tokens: Vec<String> = Vec::new();
        for token in end.text.split_inclusive('>') {
            match tokens.get_mut(MOST_END_TOKENS) {
                Some(last) => last.push_str(token),
                None => tokens.push(token.to_owned()),
            }
        }
        let tokens = tokens.into_iter().rev().fold(Expression::EMPTY, |following, token| {
            Expression::sequence([Expression::text(token), following]).optional()
        });
        Expression::sequence([optional_text(&end.before), tokens])
    });
    match reply.header().is_some() {
        // A sequence of messages ends with a body, because the closer of the last message is the
        // token that stops the model.
        true => Expression::EMPTY,
        false => Expression::choice(ends.chain([Expression::EMPTY])),
    }
}

/// A marker as a template writes it. The white space around it is optional.
pub(super) fn marker_with_space(marker: &Marker) -> Expression {
    if marker.is_none() {
        return optional_text(&marker.after);
    }
    // A text that ends in a word is only recognised at the end of the word. So the white space
    // after it is required.
    let ends_in_word = marker.text.ends_with(char::is_alphanumeric);
    let after = match ends_in_word {
        true => Expression::text(marker.after.clone()),
        false => optional_text(&marker.after),
    };
    Expression::sequence([optional_text(&marker.before), marker_text(&marker.text), after])
}

/// The text of a marker. The line breaks inside it are optional.
pub(super) fn marker_text(text: &str) -> Expression {
    let mut parts = Vec::new();
    for (word, between) in words(text) {
        // A space is part of the text; a line break is layout.
        let between = match between.contains('\n') {
            true => optional_text(between),
            false => Expression::text(between.to_owned()),
        };
        parts.extend([Expression::text(word.to_owned()), between]);
    }
    Expression::Sequence(parts)
}

/// The texts that [`marker_text`] matches: `<a>\nb` and `<a>b` for `<a>\nb`. With more than four
/// line breaks, spellings are left out, or their number would double with each. A text that should
/// not contain the marker can then contain one of these.
pub(super) fn spellings(text: &str) -> Vec<String> {
    let mut spellings = vec![String::new()];
    for (word, between) in words(text) {
        let mut without = Vec::new();
        if between.contains('\n') && spellings.len() < MOST_SPELLINGS {
            without.extend(spellings.iter().map(|spelling| format!("{spelling}{word}")));
        }
        spellings.iter_mut().for_each(|spelling| spelling.extend([word, between]));
        spellings.append(&mut without);
    }
    spellings
}

/// The words of a text, each with the white space after it.
fn words(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (word, after) =
            text.split_at_checked(text.find(char::is_whitespace).unwrap_or(text.len()))?;
        let spaces = after.len() - after.trim_start().len();
        let (between, rest) = after.split_at_checked(spaces)?;
        text = rest;
        (!word.is_empty() || !between.is_empty()).then_some((word, between))
    })
}

/// The words of a header. A space may separate them from the header's opener, unless they begin
/// with a token such as `<|channel|>`, which needs no separator.
pub(super) fn header_text(text: &str) -> Expression {
    let text = text.trim_start();
    let words = Expression::text(text.to_owned());
    match text.starts_with('<') {
        true => words,
        false => Expression::sequence([Expression::text(" ").optional(), words]),
    }
}

/// This text or nothing: white space, or a separator that a reply may omit.
pub(super) fn optional_text(canonical: &str) -> Expression {
    match canonical.is_empty() {
        true => Expression::EMPTY,
        false => Expression::text(canonical.to_owned()).optional(),
    }
}
