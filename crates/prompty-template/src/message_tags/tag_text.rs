//! The text of a tag as a render writes it: adjacent literal texts, with values between them.
//!
//! Nodes that write nothing, such as comments of the template's language, may be between the
//! literal texts. The parser will read the same text, so the two cannot disagree.
//!
//! For example, `<message name="{{ who }}">` has three pieces: `<message name="`, a placeholder for
//! the value, and `">`.

use std::borrow::Cow;
use std::ops::Range;

use crate::tree::{Node, NodeKind};
use prompty_core::work::add_steps;

/// A placeholder for a value in the text of a tag. It has no meaning in a tag, so a value outside
/// of quotation marks is an error.
const VALUE: char = '\u{1a}';

/// The text of a tag, with the positions of its pieces in the template.
pub(super) struct TagText<'t> {
    pub(super) text: Cow<'t, str>,
    /// Whether a block follows the text.
    pub(super) has_block: bool,
    /// The start of each literal text: its offset in this text, and its position in the template.
    pieces: Vec<(usize, usize)>,
    /// The offsets of the values in this text.
    values: Vec<usize>,
}

impl<'t> TagText<'t> {
    /// The text of one literal text.
    pub(super) fn in_text(text: &'t str, place: usize) -> Self {
        let pieces = vec![(0, place)];
        Self { text: text.into(), has_block: false, pieces, values: Vec::new() }
    }

    /// The text that begins in a literal text and continues in the nodes after it, up to the next
    /// `<`.
    pub(super) fn over_nodes<'n>(
        text: &'t str,
        place: usize,
        template: &str,
        nodes: impl Iterator<Item = &'n Node>,
    ) -> Self {
        let mut written = Self::in_text(text, place);
        for node in nodes {
            match &node.kind {
                NodeKind::Text(_) => {
                    let Some(all) = node.span.text_in(template) else { break };
                    let piece = all.split('<').next().unwrap_or(all);
                    add_steps(piece.len());
                    written.pieces.push((written.text.len(), node.span.start));
                    written.text.to_mut().push_str(piece);
                    if piece.len() < all.len() {
                        break;
                    }
                }
                NodeKind::Output(_) => {
                    written.values.push(written.text.len());
                    written.pieces.push((written.text.len(), node.span.start));
                    written.text.to_mut().push(VALUE);
                }
                _ => {
                    written.has_block = true;
                    break;
                }
            }
        }
        written
    }

    /// Returns the position in the template of a byte of this text.
    pub(super) fn place(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|(start, _)| *start <= offset);
        let piece = next.checked_sub(1).and_then(|index| self.pieces.get(index));
        piece.map_or(0, |(start, place)| place + (offset - start))
    }

    /// Returns the position in the template after the last byte before `offset`. Between two
    /// pieces, `place` would return the start of the second one, which may be further right.
    pub(super) fn end(&self, offset: usize) -> usize {
        match offset.checked_sub(1) {
            Some(last) => self.place(last) + 1,
            None => self.place(0),
        }
    }

    /// Whether a range of this text contains a value.
    pub(super) fn has_value(&self, part: Range<usize>) -> bool {
        let next = self.values.partition_point(|at| *at < part.start);
        self.values.get(next).is_some_and(|at| *at < part.end)
    }
}
