//! How characters are spelled inside a JSON text, each in one way.

use crate::reply::grammar::{CharacterClass, Expression};

/// The characters that stand for themselves in a JSON text. `DEL` may, too, but no model means it.
pub(super) fn raw() -> CharacterClass {
    CharacterClass::range('\0', '\u{1f}').or(&CharacterClass::of("\"\\\u{7f}")).negated()
}

/// The two-letter escapes, by what they stand for.
const SHORT: [(char, char); 7] = [
    ('"', '"'),
    ('\\', '\\'),
    ('\u{8}', 'b'),
    ('\u{c}', 'f'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
];

/// One character of a class as a JSON text spells it: as itself, or by its shortest escape.
pub(super) fn one_of(class: &CharacterClass) -> Expression {
    let mut ways = Vec::new();
    let plain = class.and(&raw());
    if !plain.is_empty() {
        ways.push(plain.into());
    }
    let short: String = SHORT
        .iter()
        .filter(|(meant, _)| class.contains(*meant))
        .map(|(_, letter)| *letter)
        .collect();
    if !short.is_empty() {
        let letter = CharacterClass::of(&short);
        ways.push(Expression::sequence(["\\".into(), letter.into()]));
    }
    // What is left: controls, by the number of their first digit.
    for first in ['0', '1', '7'] {
        let last: String = (0..16)
            .filter_map(|last| {
                let digit = char::from_digit(last, 16)?;
                let code = first.to_digit(16)? * 16 + last;
                let meant = char::from_u32(code)?;
                let is_short = SHORT.iter().any(|(short, _)| *short == meant);
                (!raw().contains(meant) && !is_short && class.contains(meant)).then_some(digit)
            })
            .collect();
        if !last.is_empty() {
            ways.push(Expression::sequence([
                format!("\\u00{first}").into(),
                CharacterClass::of(&last).into(),
            ]));
        }
    }
    Expression::choice(ways)
}

/// A text as JSON spells it, without its quotes.
pub(super) fn text(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for character in text.chars() {
        match SHORT.iter().find(|(meant, _)| *meant == character) {
            Some((_, letter)) => spelled.extend(['\\', *letter]),
            None if raw().contains(character) => spelled.push(character),
            None => spelled.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    spelled
}
