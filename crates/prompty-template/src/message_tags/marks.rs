//! The marks that a render inserts into the author's text, around the pieces that the parser reads.
//!
//! A mark is inserted around the text and does not replace it: `NONCE<` before a tag, and `NONCE>`
//! after it. So the rendered text without its nonces is what the author wrote. Only white space of
//! the author is marked; that of an input is never removed.

use super::neighbors::Neighbor;
use crate::role_markers::syntax::{END, Insertion, LOOKALIKE, Occasion, SPACE, TAG, VALUE_SPACE};
use prompty_core::diagnostic::TemplateSpan;

/// The kind of text that a mark encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    /// Tags, entities and comments.
    Tags {
        /// Whether the last of them is an edge of a message or part. White space after an edge is
        /// removed.
        is_edge: bool,
    },
    /// White space that is removed at the ends of a message, and next to threads and media.
    Space,
    /// White space that is removed next to threads and media.
    NextToValue,
    /// Text of the author that looks like a message tag.
    Lookalike,
}

/// The marks of a template, from left to right.
#[derive(Debug, Default)]
pub(super) struct Marks {
    list: Vec<(MarkKind, TemplateSpan)>,
}

impl Marks {
    /// Marks the tag of a message or part, together with the white space before it.
    pub(super) fn edge(&mut self, span: TemplateSpan) {
        let mut start = span.start;
        if let Some((MarkKind::Space, space)) = self.list.last().copied()
            && space.end == start
        {
            start = space.start;
            self.list.pop();
        }
        self.tags(TemplateSpan::new(start, span.end), true);
    }

    /// Marks an entity, a comment, or a delimiter of CDATA.
    pub(super) fn dropped(&mut self, span: TemplateSpan) {
        self.tags(span, false);
    }

    fn tags(&mut self, span: TemplateSpan, is_edge: bool) {
        match self.list.last_mut() {
            Some((kind @ MarkKind::Tags { .. }, last)) if last.end == span.start => {
                (*kind, last.end) = (MarkKind::Tags { is_edge }, span.end);
            }
            _ => self.list.push((MarkKind::Tags { is_edge }, span)),
        }
    }

    /// Marks white space according to its neighbor.
    pub(super) fn space(&mut self, span: TemplateSpan, neighbor: Neighbor) {
        if span.start == span.end {
            return;
        }
        match neighbor {
            Neighbor::Text => {}
            Neighbor::Value => self.list.push((MarkKind::NextToValue, span)),
            Neighbor::Edge if self.extend_edge(span) => {}
            Neighbor::Edge => self.list.push((MarkKind::Space, span)),
        }
    }

    /// Extends the last mark by white space that directly follows an edge. Returns whether it did.
    pub(super) fn extend_edge(&mut self, span: TemplateSpan) -> bool {
        match self.list.last_mut() {
            Some((MarkKind::Tags { is_edge: true }, last)) if last.end == span.start => {
                last.end = span.end;
                true
            }
            _ => false,
        }
    }

    /// Marks text that looks like a message tag.
    pub(super) fn lookalike(&mut self, span: TemplateSpan) {
        self.list.push((MarkKind::Lookalike, span));
    }

    pub(super) fn into_insertions(self) -> Vec<Insertion> {
        let insertions = self.list.into_iter().flat_map(|(kind, span)| {
            let sign = match kind {
                MarkKind::Tags { .. } => TAG,
                MarkKind::Space => SPACE,
                MarkKind::NextToValue => VALUE_SPACE,
                MarkKind::Lookalike => LOOKALIKE,
            };
            let occasion = match kind {
                MarkKind::NextToValue => Occasion::RichInputs,
                _ => Occasion::Always,
            };
            let insertion =
                |offset: usize, after| Insertion { offset, before: "", after, occasion };
            [insertion(span.start, sign), insertion(span.end, END)]
        });
        insertions.collect()
    }
}
