//! The characters of JSON strings, each written in one way: unescaped, or with its shortest escape.

use crate::grammar::{CharacterClass, Expression};
use prompty_core::value::internal::json::escape_ascii_byte;

/// The characters that are unescaped in a JSON string.
pub(super) fn unescaped() -> CharacterClass {
    CharacterClass::range('\0', '\u{1f}')
        .or(&CharacterClass::from_characters("\"\\\u{7f}"))
        .negated()
}

/// The escape of a character that must be escaped.
fn escape(character: char) -> Option<&'static str> {
    match u8::try_from(character) {
        // JSON allows it unescaped, but no model means it.
        Ok(0x7f) => Some("\\u007f"),
        Ok(byte) => escape_ascii_byte(byte),
        Err(_) => None,
    }
}

/// One character of a class, escaped if JSON requires it.
pub(super) fn one_of(class: &CharacterClass) -> Expression {
    let mut ways = Vec::new();
    let plain = class.and(&unescaped());
    if !plain.is_empty() {
        ways.push(plain.into());
    }
    let in_class = ('\0'..='\u{7f}').filter(|character| class.contains(*character));
    let escapes: Vec<&str> = in_class.filter_map(escape).collect();
    // Escapes that differ only in their last character are one alternative.
    for start in ["\\", "\\u000", "\\u001", "\\u007"] {
        let ends = escapes.iter().filter_map(|escape| escape.strip_prefix(start));
        let last: String = ends.filter(|end| end.len() == 1).collect();
        if !last.is_empty() {
            ways.push(Expression::sequence([
                start.into(),
                CharacterClass::from_characters(&last).into(),
            ]));
        }
    }
    Expression::choice(ways)
}

/// Escapes a string, without quotes.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            Some(escape) => escaped.push_str(escape),
            None => escaped.push(character),
        }
    }
    escaped
}
