//! The pieces of a text that was put together, and the way back from each piece to its origin.

use std::sync::Arc;

use super::SourceSpan;
use crate::work::add_steps;

/// A piece of a text that was put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<S> {
    /// Where it begins.
    pub(super) start: usize,
    /// The text that it came from. That one has no pieces of its own.
    pub(super) source: S,
    /// Where it came from: the bytes that were copied, or what made us write the piece.
    pub(super) origin: SourceSpan,
    /// Whether the piece has the bytes of its origin.
    pub(super) is_copy: bool,
}

/// The pieces of a text, in order. They may go on behind the text's end: such places lie in texts that were
/// read and are no part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pieces<S>(pub(super) Arc<Vec<Piece<S>>>);

impl<S> Pieces<S> {
    /// The text that a span of the whole was written in, and where in it; `None` without pieces.
    /// A span over pieces of several texts ends with the first: `is_same` compares the texts.
    pub(super) fn origin(
        &self,
        span: SourceSpan,
        is_same: impl Fn(&S, &S) -> bool,
    ) -> Option<(&S, SourceSpan)> {
        add_steps(1);
        let first = self.holding(span.start)?;
        let start = first.original(span.start);
        if !first.is_copy {
            return Some((&first.source, first.origin));
        }
        let last = self.holding(span.end.saturating_sub(1).max(span.start)).unwrap_or(first);
        let end = match last.is_copy {
            true => last.original(span.end),
            false => last.origin.end,
        };
        let is_one = is_same(&last.source, &first.source) && end >= start;
        let end = if is_one { end } else { first.origin.end };
        Some((&first.source, SourceSpan::new(start, end.max(start))))
    }

    fn holding(&self, offset: usize) -> Option<&Piece<S>> {
        let next = self.0.partition_point(|piece| piece.start <= offset);
        self.0.get(next.saturating_sub(1))
    }
}

impl<S> Piece<S> {
    /// Where a byte of this piece came from.
    pub(super) fn original(&self, offset: usize) -> usize {
        let inside = if self.is_copy { offset.saturating_sub(self.start) } else { 0 };
        (self.origin.start + inside).min(self.origin.end)
    }
}
