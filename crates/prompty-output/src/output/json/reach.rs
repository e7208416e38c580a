//! How far a look reaches, and what separates: what all looks ahead have in common.

/// How many bytes a look reaches. A key that is longer is not recognised as one.
pub(super) const REACH: usize = 256;

/// Whether a character separates, as white space or as something that is not seen.
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
