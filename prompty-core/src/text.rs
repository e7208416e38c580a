//! Slices of texts and lists. All packages slice texts with these functions.
//!
//! A wrong offset must not appear as an empty text far away from the mistake. In debug builds,
//! which include all tests and fuzz targets, it panics where it happens. In release builds the
//! slice is empty, so that no input can crash a service.

use std::ops::{Bound, RangeBounds};

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
    use super::{slice, slice_list};

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
