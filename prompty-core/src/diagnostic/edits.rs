//! Edits a text and keeps the author's place of every byte.

use super::{SourceBuilder, SourceSpan, SourceText};

/// Edits of a text. Each replaces a span by a string or by a part of another source.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::diagnostic::{Edits, SourceText, SourceSpan};
///
/// let source = SourceText::new("f", "Hi {{ nme }}!");
/// let mut edits = Edits::new(&source);
/// edits.replace(SourceSpan::new(6, 9), "name");
/// let edited = edits.finish();
/// assert_eq!(edited.text(), "Hi {{ name }}!");
/// assert_eq!(edited.place(12).to_string(), "f:1:12");
/// ```
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Edits<'s> {
    source: &'s SourceText,
    changes: Vec<(SourceSpan, Change)>,
}

/// The replacement of a span.
#[derive(Debug, Clone)]
enum Change {
    Text(String),
    Part(SourceText, SourceSpan),
}

impl<'s> Edits<'s> {
    /// Creates an empty list of edits.
    pub fn new(source: &'s SourceText) -> Self {
        Self { source, changes: Vec::new() }
    }

    /// Replaces a span by a string, or inserts the string if the span is empty. Several insertions
    /// at one offset keep the order in which they were made.
    pub fn replace(&mut self, span: SourceSpan, text: impl Into<String>) {
        self.changes.push((span, Change::Text(text.into())));
    }

    /// Replaces a span by a part of another source.
    pub fn replace_with(&mut self, span: SourceSpan, source: &SourceText, part: SourceSpan) {
        self.changes.push((span, Change::Part(source.clone(), part)));
    }

    /// Deletes a span.
    pub fn delete(&mut self, span: SourceSpan) {
        self.replace(span, "");
    }

    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Writes a part of the edited text. Of overlapping edits, the first and longest is made.
    pub fn write(&self, builder: &mut SourceBuilder, part: SourceSpan) {
        let mut changes: Vec<&(SourceSpan, Change)> =
            self.changes.iter().filter(|(span, _)| part.contains(*span)).collect();
        // At the same start: insertions in their order, then the longest replacement.
        changes
            .sort_by_key(|(span, _)| (span.start, span.end != span.start, usize::MAX - span.end));
        // The offset up to which the source is copied or replaced.
        let mut done = part.start;
        for (span, change) in changes {
            if span.start < done {
                continue;
            }
            builder.copy(self.source, SourceSpan::new(done, span.start));
            match change {
                Change::Text(text) => builder.write(text, self.source, *span),
                Change::Part(source, part) => builder.copy(source, *part),
            }
            done = span.end;
        }
        builder.copy(self.source, SourceSpan::new(done, part.end));
    }

    /// Returns the complete text with the edits.
    pub fn finish(self) -> SourceText {
        let mut builder = SourceBuilder::new(self.source.name());
        self.write(&mut builder, SourceSpan::new(0, self.source.text().len()));
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SourceSpan, SourceText};
    use super::Edits;

    #[test]
    fn places_after_an_edit_are_those_of_the_author() {
        let source = SourceText::new("f", "ab\ncd\nef");
        let mut edits = Edits::new(&source);
        edits.replace(SourceSpan::new(1, 4), "X\nY\nZ");
        edits.delete(SourceSpan::new(6, 7));
        let edited = edits.finish();
        assert_eq!(edited.text(), "aX\nY\nZd\nf");
        let places: Vec<String> = [0, 1, 5, 6, 8].map(|at| edited.place(at).to_string()).into();
        assert_eq!(places, ["f:1:1", "f:1:2", "f:1:2", "f:2:2", "f:3:2"]);
    }

    #[test]
    fn only_the_outer_of_overlapping_edits_is_made() {
        let source = SourceText::new("f", "abcdef");
        let mut edits = Edits::new(&source);
        edits.replace(SourceSpan::new(2, 3), "inner");
        edits.replace(SourceSpan::new(1, 5), "outer");
        edits.replace(SourceSpan::new(1, 1), "<");
        assert_eq!(edits.finish().text(), "a<outerf");
    }

    #[test]
    fn a_part_of_another_source_keeps_its_places() {
        let (source, other) = (SourceText::new("f", "a{}b"), SourceText::new("g", "x\nyz"));
        let mut edits = Edits::new(&source);
        edits.replace_with(SourceSpan::new(1, 3), &other, SourceSpan::new(2, 4));
        let edited = edits.finish();
        assert_eq!(edited.text(), "ayzb");
        assert_eq!(edited.place(2).to_string(), "g:2:2");
        assert_eq!(edited.place(3).to_string(), "f:1:4");
    }
}
