//! Sorted suffixes of strings, to look up prefixes of them. They are stored as places in the
//! strings, because together they are much longer than the strings.

use prompty_core::work::add_steps;

/// A sorted set of suffixes of some strings.
#[derive(Debug, Default)]
pub(super) struct Suffixes {
    /// The strings, joined.
    text: Vec<u8>,
    /// The start and end of each suffix, in the order of the suffixes, without duplicates.
    sorted: Vec<(usize, usize)>,
}

/// How some bytes match the suffixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SuffixMatch {
    /// The bytes begin with a complete suffix.
    Complete,
    /// The bytes are the start of a longer suffix.
    Partial,
    None,
}

#[expect(clippy::indexing_slicing, reason = "the creators of `Suffixes` give places in its text")]
fn suffix_at(text: &[u8], (start, end): (usize, usize)) -> &[u8] {
    &text[start..end]
}

impl Suffixes {
    /// Creates the set of the suffixes at the given places of a joined text.
    pub(super) fn new(text: Vec<u8>, mut places: Vec<(usize, usize)>) -> Self {
        let suffix = |place: &(usize, usize)| suffix_at(&text, *place);
        let compare = |a: &(usize, usize), b: &(usize, usize)| {
            add_steps(1);
            suffix(a).cmp(suffix(b))
        };
        places.sort_unstable_by(compare);
        places.dedup_by(|a, b| suffix(a) == suffix(b));
        places.shrink_to_fit();
        Self { text, sorted: places }
    }

    /// Creates the set of all suffixes. Every part of the strings is a prefix of one of them.
    pub(super) fn all<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut joined = Vec::new();
        let mut places = Vec::new();
        for text in texts {
            let start = joined.len();
            joined.extend_from_slice(text.as_bytes());
            places.extend(text.char_indices().map(|(at, _)| (start + at, joined.len())));
        }
        Self::new(joined, places)
    }

    fn suffix(&self, place: (usize, usize)) -> &[u8] {
        suffix_at(&self.text, place)
    }

    /// Whether a text is a prefix of a suffix, or all of it.
    pub(super) fn contains_prefix(&self, text: &str) -> bool {
        let before = self.sorted.partition_point(|place| {
            add_steps(1);
            self.suffix(*place) < text.as_bytes()
        });
        self.sorted
            .get(before)
            .is_some_and(|place| self.suffix(*place).starts_with(text.as_bytes()))
    }

    /// How some bytes match the suffixes. It reads only the matching bytes.
    #[expect(clippy::indexing_slicing, reason = "`partition_point` gives a place in the list")]
    pub(super) fn match_start(&self, bytes: impl Iterator<Item = u8>) -> SuffixMatch {
        // The suffixes that begin with the bytes so far. They are consecutive.
        let mut same = self.sorted.as_slice();
        for (depth, byte) in bytes.enumerate() {
            add_steps(1);
            let next = |place: &(usize, usize)| self.suffix(*place).get(depth).copied();
            same = &same[same.partition_point(|place| next(place) < Some(byte))..];
            same = &same[..same.partition_point(|place| next(place) == Some(byte))];
            // The first of them is the shortest: a text is sorted before its continuations.
            let Some(first) = same.first() else { return SuffixMatch::None };
            if self.suffix(*first).len() == depth + 1 {
                return SuffixMatch::Complete;
            }
        }
        if same.is_empty() { SuffixMatch::None } else { SuffixMatch::Partial }
    }
}

#[cfg(test)]
mod tests {
    use super::{SuffixMatch, Suffixes};

    #[test]
    fn every_part_of_a_text_is_known() {
        let parts = Suffixes::all(["<|end|>", "é|"].into_iter());
        for part in ["<|end|>", "nd", "|", "é|", ">"] {
            assert!(parts.contains_prefix(part), "{part}");
        }
        for other in ["END", ">é", "|<", "ende"] {
            assert!(!parts.contains_prefix(other), "{other}");
        }
        assert!(!Suffixes::default().contains_prefix("a"));
    }

    #[test]
    fn bytes_are_compared_with_ends() {
        let ends = Suffixes::new(b"<|end|>".to_vec(), vec![(3, 7), (5, 7)]);
        let match_start = |text: &str| ends.match_start(text.bytes());
        assert_eq!(match_start("nd|>"), SuffixMatch::Complete);
        assert_eq!(match_start("|> and more"), SuffixMatch::Complete);
        assert_eq!(match_start("nd"), SuffixMatch::Partial);
        assert_eq!(match_start("end|>"), SuffixMatch::None);
        assert_eq!(match_start("ndx"), SuffixMatch::None);
        assert_eq!(Suffixes::default().match_start("a".bytes()), SuffixMatch::None);
    }
}
