//! Assembles a text from pieces of others.
//!
//! Readers of templates work on a single text. If a prompt has several files, or if a part of it is
//! replaced first, this builder makes that text. A diagnostic still shows the author's line.

use std::sync::Arc;

use super::pieces::{Piece, Pieces};
use super::{SourceSpan, SourceText};
use crate::work::add_steps;

/// The start of a piece of a text, and the place that it came from. A program keeps these for a
/// text that a macro assembled.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceStart {
    /// The offset in the text.
    pub start: usize,
    /// The file.
    pub name: &'static str,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in the file, from 1.
    pub column: usize,
    /// Whether the piece is a copy, so that its lines are lines of the file.
    pub is_copy: bool,
}

/// Assembles a text, from its start to its end.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::diagnostic::{SourceBuilder, SourceText, SourceSpan};
///
/// let main = SourceText::new("main", "a [other] b");
/// let other = SourceText::new("other", "1\n2");
/// let mut builder = SourceBuilder::new("main");
/// builder.copy(&main, SourceSpan::new(0, 2));
/// builder.write("(", &main, SourceSpan::new(2, 9));
/// builder.copy(&other, SourceSpan::new(0, 3));
/// builder.write(")", &main, SourceSpan::new(2, 9));
/// builder.copy(&main, SourceSpan::new(9, 11));
/// let text = builder.finish();
/// assert_eq!(text.text(), "a (1\n2) b");
/// assert_eq!(text.place(5).to_string(), "other:2:1");
/// assert_eq!(text.place(6).to_string(), "main:1:3", "the place of the span that caused it");
/// assert_eq!(text.place(8).to_string(), "main:1:11");
/// ```
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct SourceBuilder {
    name: Arc<str>,
    text: String,
    pieces: Vec<Piece<SourceText>>,
    /// The end of the places after the text, if `annex` was called.
    end: usize,
}

impl SourceBuilder {
    /// Creates an empty text with a name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: String::new(), pieces: Vec::new(), end: 0 }
    }

    /// The current length of the text.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Appends a part of another text. A span outside of that text is ignored.
    pub fn copy(&mut self, source: &SourceText, span: SourceSpan) {
        let Some(copied) = source.text().get(span.start..span.end) else { return };
        let base = self.text.len();
        self.text.push_str(copied);
        self.add_pieces(base, source, span);
    }

    /// Appends a text that is in no source. Its place is the span that caused it.
    pub fn write(&mut self, text: &str, source: &SourceText, cause: SourceSpan) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let (source, origin) = source.origin(cause);
        self.pieces.push(Piece { start, source: source.clone(), origin, is_copy: false });
    }

    /// Reserves offsets after the end for a text that is not part of this one, so that a diagnostic
    /// of this text can point into a file whose text was left out. Returns the number to add to an
    /// offset in `source`. Nothing may be copied or written afterwards.
    pub fn annex(&mut self, source: &SourceText) -> usize {
        // One byte separates the end of a text from the start of the next.
        let base = self.end.max(self.text.len()) + 1;
        self.add_pieces(base, source, SourceSpan::new(0, source.text().len()));
        self.end = base + source.text().len();
        base
    }

    /// Returns the text.
    pub fn finish(self) -> SourceText {
        SourceText::assembled(self.name, self.text, Pieces(Arc::new(self.pieces)))
    }

    /// Adds the pieces of a span of a text. The span begins at `base` in this text. If `source` is
    /// assembled itself, the pieces of it are added, cut to the span.
    fn add_pieces(&mut self, base: usize, source: &SourceText, span: SourceSpan) {
        let Some(pieces) = source.pieces() else {
            let source = source.clone();
            self.pieces.push(Piece { start: base, source, origin: span, is_copy: true });
            return;
        };
        let first = pieces.0.partition_point(|piece| piece.start <= span.start).saturating_sub(1);
        let mut pieces = pieces.0.iter().skip(first).peekable();
        while let Some(piece) = pieces.next() {
            // An empty span still gets the piece that begins at it.
            if piece.start >= span.end && piece.start > span.start {
                break;
            }
            add_steps(1);
            let start = piece.start.max(span.start);
            let end = pieces.peek().map_or(span.end, |next| next.start.min(span.end));
            let mut part = piece.clone();
            if piece.is_copy {
                part.origin = SourceSpan::new(piece.original(start), piece.original(end));
            }
            part.start = base + (start - span.start);
            self.pieces.push(part);
        }
    }
}

impl SourceText {
    /// The pieces of the text, each as its offset, the place that it came from, and whether it is a
    /// copy; empty for a text that was not assembled.
    #[doc(hidden)]
    pub fn piece_starts(&self) -> impl Iterator<Item = (usize, super::Place, bool)> + '_ {
        let pieces = self.pieces().into_iter().flat_map(|pieces| pieces.0.iter());
        let written = pieces.filter(|piece| piece.start < self.text().len());
        written.map(|piece| (piece.start, piece.source.place(piece.origin.start), piece.is_copy))
    }

    /// Rebuilds a text from the result of its [`SourceText::piece_starts`].
    #[doc(hidden)]
    pub fn from_pieces(name: &str, text: &str, starts: &[PieceStart]) -> Self {
        let mut pieces = Vec::with_capacity(starts.len());
        for (index, piece) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(text.len(), |next| next.start);
            let Some(written) = text.get(piece.start..end) else { continue };
            let copied = if piece.is_copy { written } else { "" };
            pieces.push(Piece {
                start: piece.start,
                source: Self::new(piece.name, copied).starting_at(piece.line, piece.column),
                origin: SourceSpan::new(0, copied.len()),
                is_copy: piece.is_copy,
            });
        }
        Self::assembled(name.into(), text.to_owned(), Pieces(Arc::new(pieces)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Diagnostic, PieceStart, SourceSpan, SourceText};
    use super::SourceBuilder;

    fn assembled() -> SourceText {
        let (main, other) = (SourceText::new("main", "one\ntwo"), SourceText::new("other", "x\ny"));
        let mut builder = SourceBuilder::new("main");
        builder.copy(&main, SourceSpan::new(0, 4));
        builder.copy(&other, SourceSpan::new(0, 3));
        builder.write("!", &main, SourceSpan::new(4, 7));
        builder.copy(&main, SourceSpan::new(4, 7));
        builder.finish()
    }

    #[test]
    fn a_finding_shows_the_line_of_the_file_that_it_is_in() {
        let finding =
            Diagnostic::new(Code::TemplateSyntax, "wrong").with_span(SourceSpan::new(6, 7));
        let drawn = finding.render(&assembled());
        assert_eq!(drawn, "error: wrong\n --> other:2:1\n  |\n2 | y\n  | ^\n");
    }

    #[test]
    fn a_written_text_shows_the_complete_span_that_caused_it() {
        let finding =
            Diagnostic::new(Code::TemplateSyntax, "wrong").with_span(SourceSpan::new(7, 8));
        assert!(finding.render(&assembled()).contains("2 | two\n  | ^^^\n"));
    }

    #[test]
    fn a_span_over_several_files_ends_with_its_first() {
        let (source, span) = assembled().origin(SourceSpan::new(2, 6)).to_owned_pair();
        assert_eq!((source.as_str(), span), ("main", SourceSpan::new(2, 4)));
    }

    #[test]
    fn a_span_that_leaves_a_file_and_returns_extends_to_its_end() {
        let (source, span) = assembled().origin(SourceSpan::new(0, 11)).to_owned_pair();
        assert_eq!((source.as_str(), span), ("main", SourceSpan::new(0, 7)));
    }

    #[test]
    fn pieces_of_pieces_lead_to_the_first_text() {
        let first = assembled();
        let mut builder = SourceBuilder::new("again");
        builder.copy(&first, SourceSpan::new(5, 9));
        let again = builder.finish();
        assert_eq!(again.text(), "\ny!t");
        let places: Vec<String> = (0..5).map(|at| again.place(at).to_string()).collect();
        assert_eq!(places, ["other:1:2", "other:2:1", "main:2:1", "main:2:1", "main:2:2"]);
    }

    #[test]
    fn places_after_the_end_are_in_texts_that_are_not_included() {
        let (main, other) = (SourceText::new("main", "one"), SourceText::new("other", "x\ny"));
        let mut builder = SourceBuilder::new("main");
        builder.copy(&main, SourceSpan::new(0, 3));
        let base = builder.annex(&other);
        let text = builder.finish();
        assert_eq!(text.text(), "one");
        assert_eq!(text.place(3).to_string(), "main:1:4");
        assert_eq!(text.place(base + 2).to_string(), "other:2:1");
    }

    #[test]
    fn a_constant_of_the_pieces_has_the_same_places() {
        let text = assembled();
        let starts: Vec<PieceStart> = text
            .piece_starts()
            .map(|(start, place, is_copy)| PieceStart {
                start,
                name: if &*place.name == "main" { "main" } else { "other" },
                line: place.line,
                column: place.column,
                is_copy,
            })
            .collect();
        let again = SourceText::from_pieces("main", text.text(), &starts);
        for at in 0..=text.text().len() {
            assert_eq!(again.place(at), text.place(at), "{at}");
        }
    }

    trait ToOwnedPair {
        fn to_owned_pair(&self) -> (String, SourceSpan);
    }

    impl ToOwnedPair for (&SourceText, SourceSpan) {
        fn to_owned_pair(&self) -> (String, SourceSpan) {
            (self.0.name().to_owned(), self.1)
        }
    }
}
