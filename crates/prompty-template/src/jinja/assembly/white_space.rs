//! `trim_blocks` and `lstrip_blocks`: what they take is taken here, so that nothing behind knows them.

use crate::assembly::in_file;
use crate::jinja::Dialect;
use crate::jinja::lexer::taken_white_space;
use prompty_core::diagnostic::{Edits, SourceText, TemplateSpan};
use prompty_core::message::marker_line::match_line;

/// What a template's tags do to the white space around them, as options of Jinja2's environment say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WhiteSpace {
    /// Whether a block tag takes the line break behind it.
    pub trim_blocks: bool,
    /// Whether a block tag takes the white space between the start of its line and it.
    pub lstrip_blocks: bool,
}

/// A template's text with the white space taken that the options take.
pub(super) fn carried_out(source: SourceText, options: WhiteSpace) -> SourceText {
    if options == WhiteSpace::default() {
        return source;
    }
    let dialect = Dialect::PROMPT.with_white_space(options.trim_blocks, options.lstrip_blocks);
    let text = source.text();
    let taken = taken_white_space(text, &dialect);
    let mut edits = Edits::new(&source);
    for (index, span) in taken.iter().enumerate() {
        let next = taken.get(index + 1).filter(|next| next.start == span.end);
        let behind = text.get(next.map_or(span.end, |next| next.end)..);
        match tag_end(text, *span) {
            // A role marker behind the tag keeps its line that way: `-` takes this line break alone.
            Some(end) if behind.is_some_and(trimming_takes_one_break) => {
                edits.replace(in_file(TemplateSpan::new(end, end)), "-");
            }
            _ => edits.delete(in_file(*span)),
        }
    }
    if edits.is_empty() { source.clone() } else { edits.finish() }
}

/// Where the `%}` or `#}` stands that took a line break, if a `-` can stand before it.
fn tag_end(text: &str, taken: TemplateSpan) -> Option<usize> {
    let end = taken.start.checked_sub(2)?;
    let is_break = taken.text_in(text)? == "\n";
    let before = text.get(..end)?;
    let closer = text.get(end..taken.start)?;
    let is_empty_comment =
        before.ends_with("{#") || before.ends_with("{#-") || before.ends_with("{#+");
    (is_break && matches!(closer, "%}" | "#}") && !is_empty_comment).then_some(end)
}

/// Whether a `-` in front of a text and a line break takes the line break alone, or also the white space
/// around a role marker, which says nothing.
pub(super) fn trimming_takes_one_break(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    text.starts_with(|first: char| !first.is_whitespace()) || match_line(line).is_some()
}
