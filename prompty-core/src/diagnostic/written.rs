//! A text as it is written in a program: a literal with escapes has other bytes than its text.

use std::sync::Arc;

use super::span::SourceSpan;

/// A piece of a text, and where it is written. Bytes that are the same in both are one piece; an
/// escape is a piece of its own.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiteralPiece {
    /// Where it is in the text.
    pub text: SourceSpan,
    /// Where it is written.
    pub written: SourceSpan,
}

/// What is written, and its pieces in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) text: Arc<str>,
    pub(super) pieces: Arc<[LiteralPiece]>,
}

impl Written {
    /// Where a range of the text is written.
    pub(super) fn span(&self, span: SourceSpan) -> SourceSpan {
        let start = self.start(span.start);
        if span.end <= span.start {
            return SourceSpan::new(start, start);
        }
        SourceSpan::new(start, self.end(span.end).max(start))
    }

    /// Where a byte of the text is written.
    fn start(&self, offset: usize) -> usize {
        let behind = self.pieces.partition_point(|piece| piece.text.start <= offset);
        let piece = behind.checked_sub(1).and_then(|index| self.pieces.get(index));
        let Some(LiteralPiece { text, written }) = piece else { return 0 };
        if offset < text.end {
            return (written.start + (offset - text.start)).min(written.end);
        }
        // The end of the text stands behind all that is written of it.
        self.pieces.get(behind).map_or(written.end, |next| next.written.start)
    }

    /// Where the range that ends in front of a byte of the text has its end.
    fn end(&self, offset: usize) -> usize {
        let behind = self.pieces.partition_point(|piece| piece.text.start < offset);
        let piece = behind.checked_sub(1).and_then(|index| self.pieces.get(index));
        let Some(LiteralPiece { text, written }) = piece else { return 0 };
        if offset >= text.end {
            return written.end;
        }
        (written.start + (offset - text.start)).min(written.end)
    }

    /// The same for a text without some of its bytes. `kept` says how many bytes in front of an offset
    /// were kept.
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

    /// The text `a"b` and a newline and `cd`, written `a\"b\n`, a continued line, and `cd`.
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
    fn a_finding_shows_the_line_as_it_is_written() {
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
    fn line_ends_that_are_made_plain_move_nothing() {
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
