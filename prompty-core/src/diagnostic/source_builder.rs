//! Puts a text together of pieces of others.
//!
//! All that reads a template works on one text. Where a prompt has several files, or where a part of it is
//! replaced before anything reads it, that text is written here; a finding still shows the author's line.

use std::sync::Arc;

use super::pieces::{Piece, Pieces};
use super::{SourceSpan, SourceText};
use crate::work::add_steps;

/// Where a piece of a text begins, and the place that it came from: what a program keeps of a text that a
/// macro put together.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceStart {
    /// The byte of the text.
    pub start: usize,
    /// The file.
    pub name: &'static str,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in the file, from 1.
    pub column: usize,
    /// Whether the piece has the bytes of that place, so that its lines are lines of the file.
    pub is_copy: bool,
}

/// Puts a text together, from its start to its end.
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
/// let whole = builder.finish();
/// assert_eq!(whole.text(), "a (1\n2) b");
/// assert_eq!(whole.place(5).to_string(), "other:2:1");
/// assert_eq!(whole.place(6).to_string(), "main:1:3", "what was written has the place that caused it");
/// assert_eq!(whole.place(8).to_string(), "main:1:11");
/// ```
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct SourceBuilder {
    name: Arc<str>,
    text: String,
    pieces: Vec<Piece<SourceText>>,
    /// How far the places behind the text reach, once there are some.
    end: usize,
}

impl SourceBuilder {
    /// An empty text with the name of the whole.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: String::new(), pieces: Vec::new(), end: 0 }
    }

    /// How long the text is so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was put into it yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds a part of another text. What lies outside of that text is left out.
    pub fn copy(&mut self, source: &SourceText, span: SourceSpan) {
        let Some(copied) = source.text().get(span.start..span.end) else { return };
        let base = self.text.len();
        self.text.push_str(copied);
        self.add(base, source, span);
    }

    /// Adds a text that stands nowhere. Its place is the one that made us write it.
    pub fn write(&mut self, text: &str, source: &SourceText, cause: SourceSpan) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let (source, origin) = source.origin(cause);
        self.pieces.push(Piece { start, source: source.clone(), origin, is_copy: false });
    }

    /// Makes places in a text that is no part of this one, behind its end: gives what must be added to a
    /// place in `source`. Nothing may be copied or written after that.
    pub fn annex(&mut self, source: &SourceText) -> usize {
        // One byte is kept apart, so that the end of a text is no other's start.
        let base = self.end.max(self.text.len()) + 1;
        self.add(base, source, SourceSpan::new(0, source.text().len()));
        self.end = base + source.text().len();
        base
    }

    /// The text.
    pub fn finish(self) -> SourceText {
        SourceText::assembled(self.name, self.text, Pieces(Arc::new(self.pieces)))
    }

    /// Adds the pieces that a span of a text consists of.
    fn add(&mut self, base: usize, source: &SourceText, span: SourceSpan) {
        let Some(pieces) = source.pieces() else {
            let source = source.clone();
            self.pieces.push(Piece { start: base, source, origin: span, is_copy: true });
            return;
        };
        let first = pieces.0.partition_point(|piece| piece.start <= span.start).saturating_sub(1);
        let mut pieces = pieces.0.iter().skip(first).peekable();
        while let Some(piece) = pieces.next() {
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
    /// Where the text's pieces begin; nothing for a text that was not put together.
    #[doc(hidden)]
    pub fn piece_starts(&self) -> impl Iterator<Item = (usize, super::Place, bool)> + '_ {
        let pieces = self.pieces().into_iter().flat_map(|pieces| pieces.0.iter());
        let written = pieces.filter(|piece| piece.start < self.text().len());
        written.map(|piece| (piece.start, piece.source.place(piece.origin.start), piece.is_copy))
    }

    /// The text that [`SourceText::piece_starts`] was asked of.
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

    fn whole() -> SourceText {
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
        let drawn = finding.render(&whole());
        assert_eq!(drawn, "error: wrong\n --> other:2:1\n  |\n2 | y\n  | ^\n");
    }

    #[test]
    fn what_was_written_shows_all_of_what_caused_it() {
        let finding =
            Diagnostic::new(Code::TemplateSyntax, "wrong").with_span(SourceSpan::new(7, 8));
        assert!(finding.render(&whole()).contains("2 | two\n  | ^^^\n"));
    }

    #[test]
    fn a_span_over_several_files_ends_with_its_first() {
        let (source, span) = whole().origin(SourceSpan::new(2, 6)).to_owned_pair();
        assert_eq!((source.as_str(), span), ("main", SourceSpan::new(2, 4)));
    }

    #[test]
    fn a_span_that_leaves_a_file_and_comes_back_reaches_to_its_end() {
        let (source, span) = whole().origin(SourceSpan::new(0, 11)).to_owned_pair();
        assert_eq!((source.as_str(), span), ("main", SourceSpan::new(0, 7)));
    }

    #[test]
    fn pieces_of_pieces_lead_back_to_the_first_text() {
        let whole = whole();
        let mut builder = SourceBuilder::new("again");
        builder.copy(&whole, SourceSpan::new(5, 9));
        let again = builder.finish();
        assert_eq!(again.text(), "\ny!t");
        let places: Vec<String> = (0..5).map(|at| again.place(at).to_string()).collect();
        assert_eq!(places, ["other:1:2", "other:2:1", "main:2:1", "main:2:1", "main:2:2"]);
    }

    #[test]
    fn places_behind_the_end_lie_in_texts_that_are_no_part() {
        let (main, other) = (SourceText::new("main", "one"), SourceText::new("other", "x\ny"));
        let mut builder = SourceBuilder::new("main");
        builder.copy(&main, SourceSpan::new(0, 3));
        let base = builder.annex(&other);
        let whole = builder.finish();
        assert_eq!(whole.text(), "one");
        assert_eq!(whole.place(3).to_string(), "main:1:4");
        assert_eq!(whole.place(base + 2).to_string(), "other:2:1");
    }

    #[test]
    fn a_constant_of_the_pieces_has_the_same_places() {
        let whole = whole();
        let starts: Vec<PieceStart> = whole
            .piece_starts()
            .map(|(start, place, is_copy)| PieceStart {
                start,
                name: if &*place.name == "main" { "main" } else { "other" },
                line: place.line,
                column: place.column,
                is_copy,
            })
            .collect();
        let again = SourceText::from_pieces("main", whole.text(), &starts);
        for at in 0..=whole.text().len() {
            assert_eq!(again.place(at), whole.place(at), "{at}");
        }
    }

    trait Owned {
        fn to_owned_pair(&self) -> (String, SourceSpan);
    }

    impl Owned for (&SourceText, SourceSpan) {
        fn to_owned_pair(&self) -> (String, SourceSpan) {
            (self.0.name().to_owned(), self.1)
        }
    }
}
