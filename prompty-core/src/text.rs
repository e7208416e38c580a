//! Slices of texts and lists, and sets of characters. All packages slice texts with these functions.
//!
//! A wrong offset must not appear as an empty text far away from the mistake. In debug builds,
//! which include all tests and fuzz targets, it panics where it happens. In release builds the
//! slice is empty, so that no input can crash a service.

use std::fmt::{self, Write};
use std::ops::{Bound, RangeBounds};

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

/// The slice of `text` in a range of bytes.
///
/// The range must be inside the text, and its ends must be at character boundaries. If this is not
/// certain, because the range comes from outside, use [`str::get`] and handle `None`.
///
/// ```
/// use prompty_core::text::slice;
///
/// assert_eq!(slice("user: Hi", 6..), "Hi");
/// assert_eq!(slice("user: Hi", ..4), "user");
/// ```
#[inline]
#[track_caller]
pub fn slice(text: &str, range: impl RangeBounds<usize>) -> &str {
    let (start, end) = bounds(&range, text.len());
    let piece = text.get(start..end);
    debug_assert!(piece.is_some(), "no piece {start}..{end} in a text of {} bytes", text.len());
    piece.unwrap_or_default()
}

/// The slice of a list in a range of indices, with the same rules as [`slice()`].
///
/// ```
/// use prompty_core::text::slice_list;
///
/// assert_eq!(slice_list(&[1, 2, 3], 1..), [2, 3]);
/// ```
#[inline]
#[track_caller]
pub fn slice_list<T>(list: &[T], range: impl RangeBounds<usize>) -> &[T] {
    let (start, end) = bounds(&range, list.len());
    let piece = list.get(start..end);
    debug_assert!(piece.is_some(), "no piece {start}..{end} in a list of {} items", list.len());
    piece.unwrap_or_default()
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

/// Converts a range into its start and its end.
fn bounds(range: &impl RangeBounds<usize>, length: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => length,
    };
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::{CharacterSet, slice, slice_list};

    #[test]
    fn a_set_has_the_characters_of_its_text_and_no_others() {
        let set = CharacterSet::new("za\u{7f}éß\0é");
        assert!("za\u{7f}éß\0".chars().all(|it| set.contains(it)));
        assert!(!"byÉ😀 ".chars().any(|it| set.contains(it)));
        assert!(!CharacterSet::new("").contains('a'));
    }

    #[test]
    fn a_piece_that_lies_in_the_text_is_taken() {
        assert_eq!(slice("Grüße", 2..4), "ü");
        assert_eq!(slice("Grüße", 7..), "");
        assert_eq!(slice("Grüße", ..=1), "Gr");
        assert_eq!(slice_list(&["a", "b"], ..1), ["a"]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "no piece 3..4 in a text of 7 bytes")]
    fn a_place_inside_a_character_is_a_panic_in_debug_builds() {
        slice("Grüße", 3..4);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "no piece 1..9 in a list of 2 items")]
    fn a_place_behind_the_end_of_a_list_is_a_panic_in_debug_builds() {
        slice_list(&["a", "b"], 1..9);
    }
}
