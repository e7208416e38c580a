//! Finds the tags that open and close a block, and the signs of white-space control in a tag.

use prompty_core::diagnostic::TemplateSpan;

/// Returns the opening and closing tags of a block. The tags must not contain string literals.
pub(super) fn tags_of_block(text: &str, block: TemplateSpan) -> (TemplateSpan, TemplateSpan) {
    let written = block.text_in(text);
    let length = block.end.saturating_sub(block.start);
    let opening = written.and_then(|it| it.find("%}")).map_or(length, |end| end + 2);
    let closing = written.and_then(|it| it.rfind("{%")).unwrap_or(opening).max(opening);
    (
        TemplateSpan::new(block.start, block.start + opening),
        TemplateSpan::new(block.start + closing, block.end),
    )
}

/// Returns the white-space sign at the start of a tag: `-`, `+`, or nothing.
pub(super) fn left_sign(text: &str, tag: TemplateSpan) -> &str {
    sign(tag.text_in(text).and_then(|written| written.get(2..3)))
}

/// Returns the white-space sign at the end of a tag: `-`, `+`, or nothing.
pub(super) fn right_sign(text: &str, tag: TemplateSpan) -> &str {
    let written = tag.text_in(text);
    sign(written.and_then(|it| it.get(it.len().checked_sub(3)?..it.len() - 2)))
}

fn sign(written: Option<&str>) -> &str {
    written.filter(|sign| matches!(*sign, "-" | "+")).unwrap_or_default()
}
