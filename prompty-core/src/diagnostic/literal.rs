//! A text as it is written in Rust source: a literal with escapes has other bytes than its text.
//!
//! The text `a"bc` is written as `a\"bc`. It has three pieces: `a` at 0..1 in both, `"` at 1..2 in
//! the text and 1..3 in the literal, and `bc` at 2..4 and 3..5. Offset 3 of the text, in the last
//! piece, is offset 4 of the literal.

use std::sync::Arc;

use super::span::SourceSpan;

/// A piece of a text, and its place in the literal. Consecutive bytes that are the same in both are
/// one piece; each escape is a separate piece.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiteralPiece {
    /// The range in the text.
    pub text: SourceSpan,
    /// The range in the literal.
    pub written: SourceSpan,
}

/// The literal as it is written, and its pieces in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LiteralText {
    pub(super) text: Arc<str>,
    pub(super) pieces: Arc<[LiteralPiece]>,
}

impl LiteralText {
    /// The range in the literal for a range of the text.
    ///
    /// At a border between two pieces, a start belongs to the piece after it, and an end to the
    /// piece before it. The literal may have more between them, such as a `\` at the end of a line.
    pub(super) fn written_span(&self, span: SourceSpan) -> SourceSpan {
        let start = self.written_start(span.start);
        if span.end <= span.start {
            return SourceSpan::new(start, start);
        }
        SourceSpan::new(start, self.written_end(span.end).max(start))
    }

    /// The offset in the literal for an offset of the text.
    fn written_start(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.text.start <= offset);
        let piece = next.checked_sub(1).and_then(|index| self.pieces.get(index));
        let Some(LiteralPiece { text, written }) = piece else { return 0 };
        if offset < text.end {
            return (written.start + (offset - text.start)).min(written.end);
        }
        // After the last piece, the offset is the end of the literal.
        self.pieces.get(next).map_or(written.end, |next| next.written.start)
    }

    /// The end in the literal of a range that ends at an offset of the text.
    fn written_end(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.text.start < offset);
        let piece = next.checked_sub(1).and_then(|index| self.pieces.get(index));
        let Some(LiteralPiece { text, written }) = piece else { return 0 };
        if offset >= text.end {
            return written.end;
        }
        (written.start + (offset - text.start)).min(written.end)
    }

    /// The same literal for a text from which bytes were removed. `kept` returns how many bytes
    /// before an offset were kept.
    pub(super) fn without(&self, kept: impl Fn(usize) -> usize) -> Self {
        let pieces = self.pieces.iter().map(|piece| {
            let text = SourceSpan::new(kept(piece.text.start), kept(piece.text.end));
            LiteralPiece { text, written: piece.written }
        });
        let pieces = pieces.filter(|piece| piece.text.start < piece.text.end).collect();
        Self { text: Arc::clone(&self.text), pieces }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Diagnostic, SourceSpan, SourceText};
    use super::LiteralPiece;

    /// The text `a"b`, a newline and `cd`, written as `a\"b\n`, a continued line and `cd`.
    fn source() -> SourceText {
        let piece = |text: (usize, usize), written: (usize, usize)| LiteralPiece {
            text: SourceSpan::new(text.0, text.1),
            written: SourceSpan::new(written.0, written.1),
        };
        let pieces = [
            piece((0, 1), (0, 1)),
            piece((1, 2), (1, 3)),
            piece((2, 3), (3, 4)),
            piece((3, 4), (4, 6)),
            piece((4, 6), (9, 11)),
        ];
        SourceText::new("x", "a\"b\ncd").starting_at(5, 10).written_as("a\\\"b\\n\\\n cd", pieces)
    }

    #[test]
    fn places_are_where_the_text_is_written() {
        let source = source();
        let places = [0, 1, 2, 4, 5, 6].map(|offset| source.place(offset).to_string());
        assert_eq!(places, ["x:5:10", "x:5:11", "x:5:13", "x:6:2", "x:6:3", "x:6:4"]);
    }

    #[test]
    fn a_snippet_shows_the_literal() {
        let finding = |start, end| {
            let finding = Diagnostic::new(Code::TemplateSyntax, "wrong")
                .with_span(SourceSpan::new(start, end));
            finding.render_body(&source())
        };
        assert_eq!(
            finding(1, 3),
            "wrong\n --> x:5:11\n  |\n5 | a\\\"b\\n\\\n  |  ^^^\n",
            "an escape is as wide as it is written"
        );
        assert_eq!(finding(4, 6), "wrong\n --> x:6:2\n  |\n6 |  cd\n  |  ^^\n");
    }

    #[test]
    fn normalised_line_ends_keep_their_places() {
        let pieces = [((0, 1), (0, 1)), ((1, 2), (1, 3)), ((2, 3), (3, 5)), ((3, 4), (5, 6))];
        let pieces = pieces.map(|(text, written)| LiteralPiece {
            text: SourceSpan::new(text.0, text.1),
            written: SourceSpan::new(written.0, written.1),
        });
        let source = SourceText::new("x", "a\r\nb").written_as("a\\r\\nb", pieces).normalised();
        assert_eq!(source.text(), "a\nb");
        assert_eq!(source.place(2).to_string(), "x:1:6");
    }
}
