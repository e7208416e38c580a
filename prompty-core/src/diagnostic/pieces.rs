//! The pieces of an assembled text. They map each offset back to its origin.
//!
//! `Hi (Bo)` may have three pieces: `Hi ` is a copy of 0..3 of the file `a`, `(` was written
//! because of 3..6 in `a`, and `Bo)` is a copy of 0..3 of the file `b`. The span 4..6 (`Bo`) is
//! then 0..2 in `b`, and 3..4 (`(`) is 3..6 in `a`. The span 0..7 covers both files and ends with
//! the first: 0..3 in `a`.

use std::sync::Arc;

use super::SourceSpan;
use crate::work::add_steps;

/// A piece of an assembled text. `S` is always `SourceText`, which contains pieces itself. As a
/// parameter, it need not be imported here, so the two files do not import each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<S> {
    /// The offset at which it begins.
    pub(super) start: usize,
    /// The text that it came from, which has no pieces itself.
    pub(super) source: S,
    /// The bytes that were copied, or the span that caused the piece to be written.
    pub(super) origin: SourceSpan,
    /// Whether the piece is a copy of its origin.
    pub(super) is_copy: bool,
}

/// The pieces of a text, in order. Pieces after the text's end are places in other texts, which
/// were read but are not part of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pieces<S>(pub(super) Arc<Vec<Piece<S>>>);

impl<S> Pieces<S> {
    /// The source of a span, and the span in that source; `None` without pieces.
    /// A span over pieces of several sources ends with the first. `is_same` compares two sources.
    pub(super) fn origin(
        &self,
        span: SourceSpan,
        is_same: impl Fn(&S, &S) -> bool,
    ) -> Option<(&S, SourceSpan)> {
        add_steps(1);
        let first = self.piece_at(span.start)?;
        let start = first.original(span.start);
        if !first.is_copy {
            return Some((&first.source, first.origin));
        }
        let last = self.piece_at(span.end.saturating_sub(1).max(span.start)).unwrap_or(first);
        let end = match last.is_copy {
            true => last.original(span.end),
            false => last.origin.end,
        };
        // If not, the span continues in another source or in an earlier part of this one. It then
        // ends with its first piece.
        let is_joined = is_same(&last.source, &first.source) && end >= start;
        let end = if is_joined { end } else { first.origin.end };
        Some((&first.source, SourceSpan::new(start, end.max(start))))
    }

    /// The last piece that begins at an offset or before it.
    fn piece_at(&self, offset: usize) -> Option<&Piece<S>> {
        let next = self.0.partition_point(|piece| piece.start <= offset);
        self.0.get(next.saturating_sub(1))
    }
}

impl<S> Piece<S> {
    /// The offset in the source that an offset of this piece came from.
    pub(super) fn original(&self, offset: usize) -> usize {
        let inside = if self.is_copy { offset.saturating_sub(self.start) } else { 0 };
        (self.origin.start + inside).min(self.origin.end)
    }
}
