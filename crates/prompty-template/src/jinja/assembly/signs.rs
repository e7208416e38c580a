//! The tags of a block, and the signs of white-space control in a tag.

use prompty_core::diagnostic::Span;
use prompty_core::text::slice;

/// The tag that opens a block without texts in quotes, and the one that closes it.
pub(super) fn inner_tags(text: &str, block: Span) -> (Span, Span) {
    let written = slice(text, block.start..block.end);
    let opening = written.find("%}").map_or(written.len(), |end| end + 2);
    let closing = written.rfind("{%").unwrap_or(opening).max(opening);
    (Span::new(block.start, block.start + opening), Span::new(block.start + closing, block.end))
}

/// The sign of white-space control at the start of a tag.
pub(super) fn left_sign(text: &str, tag: Span) -> &str {
    let written = slice(text, tag.start..tag.end);
    written.get(2..3).filter(|sign| matches!(*sign, "-" | "+")).unwrap_or_default()
}

/// The sign of white-space control at the end of a tag.
pub(super) fn right_sign(text: &str, tag: Span) -> &str {
    let written = slice(text, tag.start..tag.end);
    let sign = written.len().checked_sub(3).and_then(|at| written.get(at..at + 1));
    sign.filter(|sign| matches!(*sign, "-" | "+")).unwrap_or_default()
}
