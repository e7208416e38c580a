//! Characters as JSON texts write them, each in one way: as itself, or by its shortest escape.

use crate::reply::grammar::{CharacterClass, Expression};

/// The characters that stand for themselves in a JSON text. `DEL` may, too, but no model means it.
pub(super) fn unescaped() -> CharacterClass {
    CharacterClass::range('\0', '\u{1f}').or(&CharacterClass::of("\"\\\u{7f}")).negated()
}

/// The escapes of one letter, each behind the character that it stands for.
const LETTERS: [(char, char); 7] = [
    ('"', '"'),
    ('\\', '\\'),
    ('\u{8}', 'b'),
    ('\u{c}', 'f'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
];

/// One character of a class, escaped where JSON asks for it.
pub(super) fn one_of(class: &CharacterClass) -> Expression {
    let mut ways = Vec::new();
    let plain = class.and(&unescaped());
    if !plain.is_empty() {
        ways.push(plain.into());
    }
    let letters: String = LETTERS
        .iter()
        .filter(|(character, _)| class.contains(*character))
        .map(|(_, letter)| *letter)
        .collect();
    if !letters.is_empty() {
        let letter = CharacterClass::of(&letters);
        ways.push(Expression::sequence(["\\".into(), letter.into()]));
    }
    // The other control characters and `DEL`, by the first digit of their code.
    for first in ['0', '1', '7'] {
        let last: String = (0..16)
            .filter_map(|last| {
                let digit = char::from_digit(last, 16)?;
                let code = first.to_digit(16)? * 16 + last;
                let character = char::from_u32(code)?;
                let has_letter = LETTERS.iter().any(|(known, _)| *known == character);
                let is_coded = !unescaped().contains(character) && !has_letter;
                (is_coded && class.contains(character)).then_some(digit)
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

/// A text with its escapes, without quotes.
pub(super) fn text(text: &str) -> String {
    let unescaped = unescaped();
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match LETTERS.iter().find(|(known, _)| *known == character) {
            Some((_, letter)) => escaped.extend(['\\', *letter]),
            None if unescaped.contains(character) => escaped.push(character),
            None => escaped.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    escaped
}
