//! The maximum lookahead, and helpers for characters.

/// Punctuation in the wide form of Chinese and Japanese, which models write instead of ASCII.
pub(super) const WIDE_COLON: char = '：';
pub(super) const WIDE_COMMA: char = '，';
pub(super) const WIDE_CLOSING_BRACE: char = '｝';
pub(super) const WIDE_CLOSING_BRACKET: char = '］';

/// The maximum lookahead, in bytes. For example, a longer key is not recognised as one.
pub(super) const MAX_LOOKAHEAD: usize = 256;

/// Whether a character is white space or invisible.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{180e}'
        )
}

/// A text without its first character.
pub(super) fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}
