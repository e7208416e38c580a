//! The tags of a block, and the signs of white-space control in a tag.

use prompty_core::diagnostic::TemplateSpan;

/// The tag that opens a block without texts in quotes, and the one that closes it.
pub(super) fn inner_tags(text: &str, block: TemplateSpan) -> (TemplateSpan, TemplateSpan) {
    let written = block.text_in(text);
    let length = block.end.saturating_sub(block.start);
    let opening = written.and_then(|it| it.find("%}")).map_or(length, |end| end + 2);
    let closing = written.and_then(|it| it.rfind("{%")).unwrap_or(opening).max(opening);
    (
        TemplateSpan::new(block.start, block.start + opening),
        TemplateSpan::new(block.start + closing, block.end),
    )
}

/// The sign of white-space control at the start of a tag.
pub(super) fn left_sign(text: &str, tag: TemplateSpan) -> &str {
    sign(tag.text_in(text).and_then(|written| written.get(2..3)))
}

/// The sign of white-space control at the end of a tag.
pub(super) fn right_sign(text: &str, tag: TemplateSpan) -> &str {
    let written = tag.text_in(text);
    sign(written.and_then(|it| it.get(it.len().checked_sub(3)?..it.len() - 2)))
}

fn sign(written: Option<&str>) -> &str {
    written.filter(|sign| matches!(*sign, "-" | "+")).unwrap_or_default()
}
