//! Ranges of bytes: in the text of a template, and in the source that the author wrote.

/// Defines both types with the same methods. A method of one does not take the other, so positions
/// in the two texts cannot be mixed.
macro_rules! spans {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name {
            /// The first byte.
            pub start: usize,
            /// The byte after the last.
            pub end: usize,
        }

        impl $name {
            /// The range from `start` up to, but without, `end`.
            pub const fn new(start: usize, end: usize) -> Self {
                Self { start, end }
            }

            /// The smallest range that contains both.
            #[must_use]
            pub fn to(self, other: Self) -> Self {
                Self { start: self.start.min(other.start), end: self.end.max(other.end) }
            }

            /// The same range moved to the right.
            #[must_use]
            pub const fn shifted(self, by: usize) -> Self {
                Self { start: self.start + by, end: self.end + by }
            }

            /// The part of a text in this range; `None` if the range is not valid in this text.
            #[doc(hidden)]
            pub fn text_in(self, text: &str) -> Option<&str> {
                text.get(self.start..self.end)
            }

            /// Whether all of `other` is in this range.
            pub const fn contains(self, other: Self) -> bool {
                self.start <= other.start && other.end <= self.end
            }
        }
    )+};
}

spans! {
    /// A range of bytes in the text of a template, the end excluded. It does not count the part of
    /// the file before the template: see [`in_source`](Self::in_source).
    TemplateSpan;
    /// A range of bytes in a [`SourceText`](super::SourceText), the end excluded.
    SourceSpan;
}

impl TemplateSpan {
    /// The same range in the source. `body` is the range of the template in it.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::diagnostic::{SourceSpan, TemplateSpan};
    ///
    /// let source = "---\nname: hi\n---\nuser:\nHi {{ name }}";
    /// let body = SourceSpan::new(17, source.len());
    /// let name = TemplateSpan::new(12, 16).in_source(body);
    /// assert_eq!(&source[name.start..name.end], "name");
    /// ```
    #[must_use]
    pub const fn in_source(self, body: SourceSpan) -> SourceSpan {
        SourceSpan { start: self.start + body.start, end: self.end + body.start }
    }
}

#[cfg(test)]
mod tests {
    use super::SourceSpan;

    #[test]
    fn spans_join_to_the_smallest_range_that_holds_both() {
        assert_eq!(SourceSpan::new(3, 4).to(SourceSpan::new(1, 2)), SourceSpan::new(1, 4));
    }
}
