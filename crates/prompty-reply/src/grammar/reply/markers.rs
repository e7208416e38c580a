//! Markers of a template as expressions.

use crate::format::Marker;
use crate::grammar::Expression;
use crate::layout::{LayoutPart, Mark};

/// The maximum number of end-of-turn tokens that may each be missing. The rest of the end is one
/// more token.
const MOST_END_TOKENS: usize = 32;

/// The maximum number of spellings of a mark that are distinguished.
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
        Expression::sequence([space(&end.before), tokens])
    });
    match reply.header().is_some() {
        true => Expression::EMPTY,
        false => Expression::choice(ends.chain([Expression::EMPTY])),
    }
}

/// A marker as a template writes it. The white space around it is optional.
pub(super) fn marker(marker: &Marker) -> Expression {
    if marker.is_none() {
        return space(&marker.after);
    }
    // A mark that ends in a word is only recognised at the end of the word.
    let ends_in_word = marker.text.ends_with(char::is_alphanumeric);
    let after = match ends_in_word {
        true => Expression::text(marker.after.clone()),
        false => space(&marker.after),
    };
    Expression::sequence([space(&marker.before), mark(&marker.text), after])
}

/// A mark. The line breaks inside it are optional.
pub(super) fn mark(text: &str) -> Expression {
    let mut parts = Vec::new();
    for (word, between) in words(text) {
        // A space is part of the text; a line break is layout.
        let between = match between.contains('\n') {
            true => space(between),
            false => Expression::text(between.to_owned()),
        };
        parts.extend([Expression::text(word.to_owned()), between]);
    }
    Expression::Sequence(parts)
}

/// The texts that a mark matches: `<a>\nb` and `<a>b` for the mark `<a>\nb`. The list is incomplete
/// if there are many line breaks.
pub(super) fn spellings(mark: &str) -> Vec<String> {
    let mut spellings = vec![String::new()];
    for (word, between) in words(mark) {
        let mut without = Vec::new();
        if between.contains('\n') && spellings.len() < MOST_SPELLINGS {
            without.extend(spellings.iter().map(|text| format!("{text}{word}")));
        }
        spellings.iter_mut().for_each(|text| text.extend([word, between]));
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

/// The words of a header. A space may separate them from the header's opener.
pub(super) fn header_text(text: &str) -> Expression {
    let text = text.trim_start();
    let words = Expression::text(text.to_owned());
    match text.starts_with('<') {
        true => words,
        false => Expression::sequence([Expression::text(" ").optional(), words]),
    }
}

/// Optional white space.
pub(super) fn space(canonical: &str) -> Expression {
    match canonical.is_empty() {
        true => Expression::EMPTY,
        false => Expression::text(canonical.to_owned()).optional(),
    }
}
