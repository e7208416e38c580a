//! Comparing texts in constants, escaping them for HTML, and sets of characters.

use std::fmt::{self, Write};

/// What HTML gives a meaning to.
const OF_HTML: [char; 5] = ['&', '<', '>', '"', '\''];

/// Whether two texts are the same. `==` cannot be used in constants.
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

/// Writes a text with what HTML gives a meaning to escaped.
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
/// Those of `out`.
pub fn write_escaped<W: Write + ?Sized>(text: &str, out: &mut W) -> fmt::Result {
    for run in text.split_inclusive(OF_HTML) {
        let plain = run.strip_suffix(OF_HTML).unwrap_or(run);
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

/// The characters of a text, to look others up in: a text is stripped of them in time that grows with
/// the one text and the other, not with both multiplied.
///
/// ```
/// use prompty_core::text::CharacterSet;
///
/// let dashes = CharacterSet::new("-=_");
/// assert_eq!("== A-B ==".trim_matches(|it| it == ' ' || dashes.contains(it)), "A-B");
/// ```
#[derive(Debug, Clone)]
pub struct CharacterSet {
    ascii: u128,
    /// The other characters, sorted.
    others: Vec<char>,
}

impl CharacterSet {
    /// The characters of a text. It reads the text once and sorts what is not ASCII.
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

    /// Whether a character is one of them.
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
