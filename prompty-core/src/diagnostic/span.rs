//! A range of bytes in a text.

/// A range of bytes in a [`SourceText`](super::SourceText), the end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, but without, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The same range moved to the right.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// The part of a text in this range; `None` if the range is not one of this text.
    #[doc(hidden)]
    pub fn text_in(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }

    /// Whether all of `other` lies in this range.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn spans_join_to_the_smallest_range_that_holds_both() {
        assert_eq!(Span::new(3, 4).to(Span::new(1, 2)), Span::new(1, 4));
    }
}
