//! `trim_blocks` and `lstrip_blocks`: what they take is taken here, so that nothing behind knows them.

use super::given::WhiteSpace;
use crate::diagnostic::{Edits, SourceText, Span};
use crate::jinja::Dialect;
use crate::jinja::lexer::taken_white_space;
use crate::message::Role;
use crate::text::slice;

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
        let behind = slice(text, next.map_or(span.end, |next| next.end)..);
        match tag_end(text, *span) {
            // A role marker behind the tag keeps its line that way: `-` takes this line break alone.
            Some(end) if begins_at_once(behind) => edits.replace(Span::new(end, end), "-"),
            _ => edits.delete(*span),
        }
    }
    if edits.is_empty() { source.clone() } else { edits.finish() }
}

/// Where the `%}` or `#}` stands that took a line break, if a `-` can stand before it.
fn tag_end(text: &str, taken: Span) -> Option<usize> {
    let end = taken.start.checked_sub(2)?;
    let is_break = slice(text, taken.start..taken.end) == "\n";
    let before = text.get(..end)?;
    let closer = slice(text, end..taken.start);
    let is_empty_comment =
        before.ends_with("{#") || before.ends_with("{#-") || before.ends_with("{#+");
    (is_break && matches!(closer, "%}" | "#}") && !is_empty_comment).then_some(end)
}

/// Whether a `-` in front of a text and a line break takes the line break alone, or also the white space
/// around a role marker, which says nothing.
pub(super) fn begins_at_once(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    text.starts_with(|first: char| !first.is_whitespace()) || looks_like_marker(line)
}

/// Whether a line has the form of a role marker.
pub(crate) fn looks_like_marker(line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('#').map_or(line, str::trim_start);
    Role::OF_MARKERS.iter().any(|role| {
        let name = line.get(..role.as_str().len());
        let rest = line.get(role.as_str().len()..).unwrap_or_default().trim_start();
        name.is_some_and(|name| name.eq_ignore_ascii_case(role.as_str()))
            && (rest == ":" || rest.starts_with('[') && rest.ends_with(':'))
    })
}
