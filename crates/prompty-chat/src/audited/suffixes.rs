//! Ends of texts in their order, to look up what they begin with. They are kept as places in the texts,
//! since their letters together are far more than those of the texts.

use prompty_core::work::add_steps;

/// Some ends of texts.
#[derive(Debug, Default)]
pub(super) struct Suffixes {
    /// The texts.
    text: Vec<u8>,
    /// Where each end begins and ends, in the order of the ends, each once.
    sorted: Vec<(usize, usize)>,
}

/// What some bytes and the ends of texts have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// The bytes begin with a whole end of a text.
    WholeEnd,
    /// The bytes are the start of a longer end of a text.
    StartOfEnd,
    Nothing,
}

#[expect(clippy::indexing_slicing, reason = "the creators of `Suffixes` give places in its text")]
fn end_at(text: &[u8], (start, end): (usize, usize)) -> &[u8] {
    &text[start..end]
}

impl Suffixes {
    /// The ends of texts that stand in these places.
    pub(super) fn new(text: Vec<u8>, mut places: Vec<(usize, usize)>) -> Self {
        let end = |place: &(usize, usize)| end_at(&text, *place);
        let compare = |a: &(usize, usize), b: &(usize, usize)| {
            add_steps(1);
            end(a).cmp(end(b))
        };
        places.sort_unstable_by(compare);
        places.dedup_by(|a, b| end(a) == end(b));
        places.shrink_to_fit();
        Self { text, sorted: places }
    }

    /// All ends of some texts. What they begin with is every part of the texts.
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

    fn end(&self, place: (usize, usize)) -> &[u8] {
        end_at(&self.text, place)
    }

    /// Whether a text is the start of an end, or all of it.
    pub(super) fn have_start(&self, text: &str) -> bool {
        let before = self.sorted.partition_point(|place| {
            add_steps(1);
            self.end(*place) < text.as_bytes()
        });
        self.sorted.get(before).is_some_and(|place| self.end(*place).starts_with(text.as_bytes()))
    }

    /// What bytes and the ends have in common. It reads no more of the bytes than that.
    #[expect(clippy::indexing_slicing, reason = "`partition_point` gives a place in the list")]
    pub(super) fn common(&self, bytes: impl Iterator<Item = u8>) -> Common {
        // The ends that begin as the bytes do.
        let mut same = self.sorted.as_slice();
        for (depth, byte) in bytes.enumerate() {
            add_steps(1);
            let next = |place: &(usize, usize)| self.end(*place).get(depth).copied();
            same = &same[same.partition_point(|place| next(place) < Some(byte))..];
            same = &same[..same.partition_point(|place| next(place) == Some(byte))];
            let Some(first) = same.first() else { return Common::Nothing };
            if self.end(*first).len() == depth + 1 {
                return Common::WholeEnd;
            }
        }
        if same.is_empty() { Common::Nothing } else { Common::StartOfEnd }
    }
}

#[cfg(test)]
mod tests {
    use super::{Common, Suffixes};

    #[test]
    fn every_part_of_a_text_is_known() {
        let parts = Suffixes::all(["<|end|>", "é|"].into_iter());
        for part in ["<|end|>", "nd", "|", "é|", ">"] {
            assert!(parts.have_start(part), "{part}");
        }
        for other in ["END", ">é", "|<", "ende"] {
            assert!(!parts.have_start(other), "{other}");
        }
        assert!(!Suffixes::default().have_start("a"));
    }

    #[test]
    fn bytes_are_compared_with_ends() {
        let ends = Suffixes::new(b"<|end|>".to_vec(), vec![(3, 7), (5, 7)]);
        let common = |text: &str| ends.common(text.bytes());
        assert_eq!(common("nd|>"), Common::WholeEnd);
        assert_eq!(common("|> and more"), Common::WholeEnd);
        assert_eq!(common("nd"), Common::StartOfEnd);
        assert_eq!(common("end|>"), Common::Nothing);
        assert_eq!(common("ndx"), Common::Nothing);
        assert_eq!(Suffixes::default().common("a".bytes()), Common::Nothing);
    }
}
