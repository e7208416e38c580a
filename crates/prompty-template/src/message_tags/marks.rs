//! What a render writes into the author's text: marks around what the parser reads.

use super::ends::Beside;
use crate::role_markers::syntax::{BESIDE, END, Insertion, LOOKALIKE, Occasion, SPACE, TAG};
use prompty_core::diagnostic::TemplateSpan;

/// What a mark says of the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Tags, entities and comments.
    Tags {
        /// Whether the last of them is the edge of a message or of a part, so that white space behind it is
        /// dropped.
        is_edge: bool,
    },
    /// White space that is dropped at the ends of a message, and beside threads and media.
    Space,
    /// White space that is dropped beside threads and media.
    BesideValue,
    /// Text of the author that looks like a message tag.
    Lookalike,
}

/// The marks of a template, from left to right.
#[derive(Debug, Default)]
pub(super) struct Marks {
    list: Vec<(Kind, TemplateSpan)>,
}

impl Marks {
    /// Marks the tag of a message or a part, with the white space before it.
    pub(super) fn edge(&mut self, span: TemplateSpan) {
        let mut start = span.start;
        if let Some((Kind::Space, space)) = self.list.last().copied()
            && space.end == start
        {
            start = space.start;
            self.list.pop();
        }
        self.tags(TemplateSpan::new(start, span.end), true);
    }

    /// Marks an entity, a comment, or what opens or closes CDATA.
    pub(super) fn dropped(&mut self, span: TemplateSpan) {
        self.tags(span, false);
    }

    fn tags(&mut self, span: TemplateSpan, is_edge: bool) {
        match self.list.last_mut() {
            Some((kind @ Kind::Tags { .. }, last)) if last.end == span.start => {
                (*kind, last.end) = (Kind::Tags { is_edge }, span.end);
            }
            _ => self.list.push((Kind::Tags { is_edge }, span)),
        }
    }

    /// Marks white space by what may stand beside it.
    pub(super) fn space(&mut self, span: TemplateSpan, beside: Beside) {
        if span.start == span.end {
            return;
        }
        match beside {
            Beside::Text => {}
            Beside::Value => self.list.push((Kind::BesideValue, span)),
            Beside::Edge if self.edge_takes(span) => {}
            Beside::Edge => self.list.push((Kind::Space, span)),
        }
    }

    /// Whether white space stands directly behind an edge, which takes it.
    pub(super) fn edge_takes(&mut self, span: TemplateSpan) -> bool {
        match self.list.last_mut() {
            Some((Kind::Tags { is_edge: true }, last)) if last.end == span.start => {
                last.end = span.end;
                true
            }
            _ => false,
        }
    }

    /// Marks text that looks like a message tag.
    pub(super) fn lookalike(&mut self, span: TemplateSpan) {
        self.list.push((Kind::Lookalike, span));
    }

    pub(super) fn into_insertions(self) -> Vec<Insertion> {
        let insertions = self.list.into_iter().flat_map(|(kind, span)| {
            let sign = match kind {
                Kind::Tags { .. } => TAG,
                Kind::Space => SPACE,
                Kind::BesideValue => BESIDE,
                Kind::Lookalike => LOOKALIKE,
            };
            let occasion = match kind {
                Kind::BesideValue => Occasion::RichInputs,
                _ => Occasion::Always,
            };
            let insertion =
                |offset: usize, after| Insertion { offset, before: "", after, occasion };
            [insertion(span.start, sign), insertion(span.end, END)]
        });
        insertions.collect()
    }
}
