//! Applies `trim_blocks` and `lstrip_blocks` to the text, so that later stages need not know them.
//!
//! The white space is deleted from the text. For a line break after a tag, a `-` is inserted into
//! the tag instead, if that removes nothing else. So a role marker keeps its own line in the text:
//! `{% if a %}` before the line `user:` becomes `{% if a -%}`.

use crate::assembly::in_file;
use crate::jinja::Dialect;
use crate::jinja::lexer::white_space_of_blocks;
use prompty_core::diagnostic::{Edits, SourceText, TemplateSpan};
use prompty_core::message::marker_line::match_line;

/// The options of Jinja2's environment that remove white space around block tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WhiteSpace {
    /// Whether a block tag removes the line break after it.
    pub trim_blocks: bool,
    /// Whether a block tag removes the white space before it in its line.
    pub lstrip_blocks: bool,
}

/// Removes the white space of a template's text that the options remove.
pub(super) fn apply(source: SourceText, options: WhiteSpace) -> SourceText {
    if options == WhiteSpace::default() {
        return source;
    }
    let dialect = Dialect::PROMPT.with_white_space(options.trim_blocks, options.lstrip_blocks);
    let text = source.text();
    let removed = white_space_of_blocks(text, &dialect);
    let mut edits = Edits::new(&source);
    for (index, span) in removed.iter().enumerate() {
        // The indentation after the line break may be removed too. Then the text after it counts.
        let adjacent = removed.get(index + 1).filter(|next| next.start == span.end);
        let text_after = text.get(adjacent.map_or(span.end, |next| next.end)..);
        match dash_place(text, *span) {
            // A `-` removes only this line break, and keeps a role marker after it on its own line.
            Some(place) if text_after.is_some_and(trimming_takes_one_break) => {
                edits.replace(in_file(TemplateSpan::new(place, place)), "-");
            }
            _ => edits.delete(in_file(*span)),
        }
    }
    if edits.is_empty() { source } else { edits.finish() }
}

/// Returns the start of the `%}` or `#}` before a removed line break, if a `-` can be inserted
/// there.
fn dash_place(text: &str, removed: TemplateSpan) -> Option<usize> {
    let place = removed.start.checked_sub(2)?;
    let is_break = removed.text_in(text)? == "\n";
    let before = text.get(..place)?;
    let closer = text.get(place..removed.start)?;
    // In `{##}`, a `-` would belong to the opener: `{#-#}`.
    let is_empty_comment =
        before.ends_with("{#") || before.ends_with("{#-") || before.ends_with("{#+");
    (is_break && matches!(closer, "%}" | "#}") && !is_empty_comment).then_some(place)
}

/// Whether a `-` removes only a line break, if `text` follows the line break. Also `true` if `text`
/// begins with the line of a role marker: white space around it has no meaning and may be removed.
pub(super) fn trimming_takes_one_break(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    text.starts_with(|first: char| !first.is_whitespace()) || match_line(line).is_some()
}
