//! Reads the token of a string literal: where each piece of its value is written.
//!
//! The token `"a\n{{ x }}"` has three pieces: `a` and `{{ x }}` are the same in the value, and the
//! two characters `\n` of the token are one character of the value. With the pieces, a place in the
//! value is converted into a place in the user's file.

use prompty_core::diagnostic::{LiteralPiece, SourceSpan};
use syn::LitStr;

/// The token of a string literal in the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LiteralToken {
    /// The complete token, with its quotes.
    pub(crate) token: String,
    /// The part of the token between the quotes.
    pub(crate) inside: SourceSpan,
    /// The pieces of the value. Their places are relative to the text between the quotes.
    pub(crate) pieces: Vec<LiteralPiece>,
}

impl LiteralToken {
    /// Reads the token of a literal; `None` if its value cannot be found in it.
    pub(crate) fn read(literal: &LitStr) -> Option<Self> {
        let token = literal.token().to_string();
        let inside = SourceSpan::new(token.find('"')? + 1, token.rfind('"')?);
        let text = token.get(inside.start..inside.end)?;
        let is_raw = token.starts_with('r');
        let (value, pieces) =
            if is_raw { (text.to_owned(), single_piece(text)) } else { unescape(text)? };
        (value == literal.value()).then_some(Self { token, inside, pieces })
    }

    /// The text between the quotes.
    #[expect(clippy::string_slice, reason = "`read` found the quotes in this token")]
    pub(crate) fn text(&self) -> &str {
        &self.token[self.inside.start..self.inside.end]
    }

    /// Where a range of the value is in the token, if the token has the same bytes there.
    pub(crate) fn span_in_token(&self, span: SourceSpan) -> Option<SourceSpan> {
        let piece = self.pieces.iter().find(|piece| piece.text.contains(span))?;
        let is_same = piece.text.end - piece.text.start == piece.written.end - piece.written.start;
        let at = self.inside.start + piece.written.start + (span.start - piece.text.start);
        is_same.then(|| SourceSpan::new(at, at + (span.end - span.start)))
    }
}

/// The single piece of a text without escapes.
fn single_piece(text: &str) -> Vec<LiteralPiece> {
    let all = SourceSpan::new(0, text.len());
    vec![LiteralPiece { text: all, written: all }]
}

/// The value of a literal with escapes, and its pieces. `written` is the text between the quotes.
fn unescape(written: &str) -> Option<(String, Vec<LiteralPiece>)> {
    let mut text = String::with_capacity(written.len());
    let mut pieces = Vec::new();
    // The number of bytes of `written` that were read.
    let mut at = 0;
    while let Some(rest) = written.get(at..).filter(|rest| !rest.is_empty()) {
        let (value, length) = match rest.strip_prefix('\\') {
            None => {
                let length = rest.find('\\').unwrap_or(rest.len());
                (rest.get(..length)?.to_owned(), length)
            }
            Some(escape) if escape.starts_with(['\n', '\r']) => {
                // A line continuation skips the white space at the start of the next lines.
                let skipped =
                    escape.len() - escape.trim_start_matches([' ', '\t', '\n', '\r']).len();
                (String::new(), 1 + skipped)
            }
            Some(escape) => {
                let (character, length) = escaped(escape)?;
                (character.to_string(), 1 + length)
            }
        };
        if !value.is_empty() {
            let start = text.len();
            text.push_str(&value);
            pieces.push(LiteralPiece {
                text: SourceSpan::new(start, text.len()),
                written: SourceSpan::new(at, at + length),
            });
        }
        at += length;
    }
    Some((text, pieces))
}

/// The character of an escape, and the length of the escape. Both exclude the backslash.
fn escaped(escape: &str) -> Option<(char, usize)> {
    let simple = |character| Some((character, 1));
    match escape.chars().next()? {
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        '0' => simple('\0'),
        character @ ('\\' | '\'' | '"') => simple(character),
        'x' => {
            let code = u32::from_str_radix(escape.get(1..3)?, 16).ok()?;
            Some((char::from_u32(code)?, 3))
        }
        'u' => {
            let digits = escape.strip_prefix("u{")?.split('}').next()?;
            let code = u32::from_str_radix(&digits.replace('_', ""), 16).ok()?;
            Some((char::from_u32(code)?, digits.len() + 3))
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]
mod tests {
    use super::LiteralToken;
    use prompty_core::diagnostic::{SourceSpan, SourceText};

    /// The places of all characters of a literal's value that are not white space.
    fn places(token: &str) -> String {
        let literal: syn::LitStr = syn::parse_str(token).unwrap();
        let written = LiteralToken::read(&literal).unwrap();
        let value = literal.value();
        let source =
            SourceText::new("x", value.as_str()).written_as(written.text(), written.pieces.clone());
        let mut shown = String::new();
        for (at, character) in value.char_indices().filter(|(_, it)| !it.is_whitespace()) {
            let place = source.place(at);
            shown.push_str(&format!("{character}{}:{} ", place.line, place.column));
        }
        shown
    }

    #[test]
    fn every_escape_has_its_place() {
        assert_eq!(places(r#""a\"b\\c""#), "a1:1 \"1:2 b1:4 \\1:5 c1:7 ");
        assert_eq!(places(r#""a\n\tb\x41c\0""#), "a1:1 b1:6 A1:7 c1:11 \x001:12 ");
        assert_eq!(places(r#""\u{e9}b\u{1_F600}c""#), "é1:1 b1:7 😀1:8 c1:18 ");
    }

    #[test]
    fn a_line_continuation_skips_the_white_space() {
        assert_eq!(places("\"a\\\n   b\n c\""), "a1:1 b2:4 c3:2 ");
    }

    #[test]
    fn a_raw_literal_has_the_bytes_of_its_text() {
        assert_eq!(places("r#\"a\\n\"b\"#"), "a1:1 \\1:2 n1:3 \"1:4 b1:5 ");
    }

    #[test]
    fn a_name_next_to_an_escape_is_found_in_the_token() {
        let literal: syn::LitStr = syn::parse_str(r#""\"{{ name }}\"""#).unwrap();
        let written = LiteralToken::read(&literal).unwrap();
        let at = literal.value().find("name").unwrap();
        let found = written.span_in_token(SourceSpan::new(at, at + 4)).unwrap();
        assert_eq!(written.token.get(found.start..found.end), Some("name"));
        assert_eq!(written.span_in_token(SourceSpan::new(0, 1)), None);
    }
}
