//! Markers of a template as expressions.

use crate::format::Marker;
use crate::grammar::Expression;
use crate::layout::{Mark, Part};

/// The tokens of a turn's end that may each be missing; what is behind them is one more.
const MOST_END_TOKENS: usize = 32;

/// So many spellings of a mark are told apart.
const MOST_SPELLINGS: usize = 16;

/// What ends the turn, as far as the model writes it.
pub(super) fn ends(reply: &Part) -> Expression {
    let ends = reply.marked(Mark::TurnEnd).map(|end| {
        // Token by token: the last of them may be the one that stops the model.
        let mut tokens: Vec<String> = Vec::new();
        for token in end.text.split_inclusive('>') {
            match tokens.get_mut(MOST_END_TOKENS) {
                Some(last) => last.push_str(token),
                None => tokens.push(token.to_owned()),
            }
        }
        let tokens = tokens.into_iter().rev().fold(Expression::EMPTY, |behind, token| {
            Expression::sequence([Expression::text(token), behind]).optional()
        });
        Expression::sequence([space(&end.before), tokens])
    });
    match reply.header().is_some() {
        true => Expression::EMPTY,
        false => Expression::choice(ends.chain([Expression::EMPTY])),
    }
}

/// A marker as a template writes it; the white space around it may be left out.
pub(super) fn marker(marker: &Marker) -> Expression {
    if marker.is_none() {
        return space(&marker.after);
    }
    // A mark that ends in a word is one only where the word ends.
    let ends_in_word = marker.text.ends_with(char::is_alphanumeric);
    let after = match ends_in_word {
        true => Expression::text(marker.after.clone()),
        false => space(&marker.after),
    };
    Expression::sequence([space(&marker.before), mark(&marker.text), after])
}

/// A mark; the line breaks inside of it may be left out.
pub(super) fn mark(text: &str) -> Expression {
    let mut parts = Vec::new();
    for (word, between) in words(text) {
        // A blank is part of what is said; a line break is how it is laid out.
        let between = match between.contains('\n') {
            true => space(between),
            false => Expression::text(between.to_owned()),
        };
        parts.extend([Expression::text(word.to_owned()), between]);
    }
    Expression::Sequence(parts)
}

/// The texts that a mark admits; not all of them where it has many line breaks.
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

/// The words of a text, each with the white space behind it.
fn words(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (word, behind) =
            text.split_at_checked(text.find(char::is_whitespace).unwrap_or(text.len()))?;
        let spaces = behind.len() - behind.trim_start().len();
        let (between, rest) = behind.split_at_checked(spaces)?;
        text = rest;
        (!word.is_empty() || !between.is_empty()).then_some((word, between))
    })
}

/// What a header says; a blank may part it from what opens the header.
pub(super) fn header_text(text: &str) -> Expression {
    let text = text.trim_start();
    let words = Expression::text(text.to_owned());
    match text.starts_with('<') {
        true => words,
        false => Expression::sequence([Expression::text(" ").optional(), words]),
    }
}

/// White space that may be left out.
pub(super) fn space(canonical: &str) -> Expression {
    match canonical.is_empty() {
        true => Expression::EMPTY,
        false => Expression::text(canonical.to_owned()).optional(),
    }
}
