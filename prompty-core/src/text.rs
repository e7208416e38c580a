//! Compares strings in constants, escapes them for HTML, removes line breaks at their ends, and builds
//! sets of characters.

use std::fmt::{self, Write};

/// The characters with a meaning in HTML.
const HTML_SPECIAL: [char; 5] = ['&', '<', '>', '"', '\''];

/// Whether two strings are equal. `==` cannot be used in constants.
#[must_use]
pub const fn are_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    while let (Some((a, ones)), Some((b, others))) = (one.split_first(), other.split_first()) {
        if *a != *b {
            return false;
        }
        (one, other) = (ones, others);
    }
    true
}

/// Writes a string with its HTML characters escaped.
///
/// ```
/// use prompty_core::text::write_escaped;
///
/// let mut written = String::new();
/// write_escaped("a < \"b\"", &mut written)?;
/// assert_eq!(written, "a &lt; &quot;b&quot;");
/// # Ok::<(), std::fmt::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn write_escaped<W: Write + ?Sized>(text: &str, out: &mut W) -> fmt::Result {
    for run in text.split_inclusive(HTML_SPECIAL) {
        let plain = run.strip_suffix(HTML_SPECIAL).unwrap_or(run);
        out.write_str(plain)?;
        out.write_str(match run.chars().next_back() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some('\'') => "&#39;",
            _ => "",
        })?;
    }
    Ok(())
}

/// A string without the line breaks at both ends. `\r\n` is one line break.
///
/// ```
/// use prompty_core::text::trim_line_breaks;
///
/// assert_eq!(trim_line_breaks("\n\r\n a\r\n\n"), " a");
/// assert_eq!(trim_line_breaks("\ra\r"), "\ra\r");
/// ```
#[must_use]
pub fn trim_line_breaks(text: &str) -> &str {
    trim_line_breaks_end(trim_line_breaks_start(text))
}

/// A string without the line breaks at its beginning.
#[must_use]
pub fn trim_line_breaks_start(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n")) {
        text = rest;
    }
    text
}

/// A string without the line breaks at its end.
#[must_use]
pub fn trim_line_breaks_end(mut text: &str) -> &str {
    while let Some(rest) = text.strip_suffix('\n') {
        text = rest.strip_suffix('\r').unwrap_or(rest);
    }
    text
}

/// A set of characters with fast look-ups. Trimming a text by the characters of another takes
/// linear time with it, not quadratic time.
///
/// ```
/// use prompty_core::text::CharacterSet;
///
/// let dashes = CharacterSet::new("-=_");
/// assert_eq!("== A-B ==".trim_matches(|it| it == ' ' || dashes.contains(it)), "A-B");
/// ```
#[derive(Debug, Clone)]
pub struct CharacterSet {
    /// A bit for each of the 128 characters of ASCII.
    ascii: u128,
    /// The other characters, sorted.
    others: Vec<char>,
}

impl CharacterSet {
    /// The characters of a text.
    #[must_use]
    pub fn new(characters: &str) -> Self {
        let mut ascii = 0;
        let mut others = Vec::new();
        for character in characters.chars() {
            match ascii_bit(character) {
                Some(bit) => ascii |= bit,
                None => others.push(character),
            }
        }
        others.sort_unstable();
        others.dedup();
        Self { ascii, others }
    }

    /// Whether the set contains a character.
    #[must_use]
    pub fn contains(&self, character: char) -> bool {
        match ascii_bit(character) {
            Some(bit) => self.ascii & bit != 0,
            None => self.others.binary_search(&character).is_ok(),
        }
    }
}

/// The bit of an ASCII character in a set.
fn ascii_bit(character: char) -> Option<u128> {
    character.is_ascii().then(|| 1 << u32::from(character))
}

#[cfg(test)]
mod tests {
    use super::CharacterSet;

    #[test]
    fn a_set_has_the_characters_of_its_text_and_no_others() {
        let set = CharacterSet::new("za\u{7f}éß\0é");
        assert!("za\u{7f}éß\0".chars().all(|it| set.contains(it)));
        assert!(!"byÉ😀 ".chars().any(|it| set.contains(it)));
        assert!(!CharacterSet::new("").contains('a'));
    }
}
