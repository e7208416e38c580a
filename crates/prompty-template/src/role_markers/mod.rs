//! The role markers of a template, which are the lines that separate messages.
//!
//! A line is a marker if it matches the expression of §6.2 and the author wrote it as text. Its
//! role and its colon must be in literal texts of the same body, so that the template writes both
//! or neither. That body must write directly to the output. The output of an expression is data,
//! and so is text that a macro, a `set`, `filter` or `call` block captures.
//!
//! White-space control may join a marker to the text before or after its line. The marker still
//! opens its message, so no text of an input can hide it.

pub mod syntax;

use std::ops::Range;

use crate::tree::{Node, NodeKind, Template};
use crate::{SyntaxError, walk};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::text::{trim_line_breaks_end, trim_line_breaks_start};
use prompty_core::work::add_steps;
use syntax::Insertion;

/// A role marker of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateMarker {
    /// The role of the message that the marker begins.
    pub role: Role,
    /// The complete line, without its newline.
    pub line: TemplateSpan,
    /// The role's name.
    pub name: TemplateSpan,
    /// The attributes, without their brackets.
    pub attributes: Option<TemplateSpan>,
    /// The texts that a render inserts, from left to right: the nonce, and a line break if other
    /// text could appear in the marker's line.
    pub insertions: Vec<Insertion>,
}

/// A literal text that is written directly to the output.
struct Literal {
    span: TemplateSpan,
    /// The number of the body that contains it.
    body: usize,
}

/// Finds the role markers of a template, in order.
pub fn find(text: &str, template: &Template) -> Vec<TemplateMarker> {
    let mut literals = Literals::default();
    literals.collect(&template.nodes);
    literals.list.sort_unstable_by_key(|literal| literal.span.start);
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        if let Some(marker) = read_marker(line, start, text.len(), &literals) {
            found.push(marker);
        }
        start += line.len() + 1;
    }
    found
}

/// The errors about the role markers of a text prompt, which has no messages.
pub fn refused_in_text(text: &str, template: &Template) -> impl Iterator<Item = SyntaxError> {
    find(text, template).into_iter().map(|marker| {
        let message = format!("a text prompt has the role marker `{}:`", marker.role);
        SyntaxError::new(marker.line, message).with_help(
            "remove the line; or, for a prompt of messages, remove `text` from its declaration",
        )
    })
}

/// The error about a role marker of a template whose prompt has a role, which is that of its only
/// message.
pub fn refused_with_role(role: &Role, marker: &TemplateMarker) -> SyntaxError {
    let message = format!("a prompt with the role `{role}` has the role marker `{}:`", marker.role);
    SyntaxError::new(marker.line, message).with_help("remove the line, or the role of the prompt")
}

/// The insertions that mark the line breaks of a template at the ends of its messages: next to the
/// markers, and at both ends of the template. A parser removes only these, so that line breaks of
/// inputs stay.
///
/// ```text
/// user:\n\n{{ x }}\n\nassistant:                   (the template)
/// user:\n\n\nNONCE${{ x }}^NONCE\n\n\nassistant:
/// ```
pub fn template_breaks(
    text: &str,
    template: &Template,
    markers: &[TemplateMarker],
) -> Vec<Insertion> {
    let mut literals = Literals::default();
    literals.collect(&template.nodes);
    literals.list.sort_unstable_by_key(|literal| literal.span.start);
    let mut insertions = Vec::new();
    let mut start = 0;
    for marker in markers {
        literals.mark_breaks(text, start..marker.line.start, &mut insertions);
        start = marker.line.end;
    }
    literals.mark_breaks(text, start..text.len(), &mut insertions);
    insertions
}

/// Reads the marker in a line that begins at `start`, if there is one.
fn read_marker(
    line: &str,
    start: usize,
    text_length: usize,
    literals: &Literals,
) -> Option<TemplateMarker> {
    let marker = syntax::match_line(line)?;
    let absolute = |range: &Range<usize>| TemplateSpan::new(start + range.start, start + range.end);
    let name = absolute(&marker.role_range);
    let colon = start + line.rfind(':')?;
    let line_span = TemplateSpan::new(start, start + line.len());
    let first = literals.containing(name)?;
    let last = literals.containing(TemplateSpan::new(colon, colon + 1))?;
    if first.body != last.body {
        return None;
    }
    let mut insertions = vec![syntax::insertion(&marker, start)];
    // White-space control or a tag may have removed the line break before or after the literal
    // text, so the line that is written may begin or end with other text.
    if line_span.start > 0 && first.span.start >= line_span.start {
        insertions.insert(0, syntax::break_before(first.span.start));
    }
    if line_span.end < text_length && last.span.end <= line_span.end {
        insertions.push(syntax::break_after(last.span.end));
    }
    Some(TemplateMarker {
        line: line_span,
        name,
        attributes: marker.attributes_range.as_ref().map(absolute),
        insertions,
        role: marker.role,
    })
}

/// The literal texts that are written directly to the output.
#[derive(Default)]
struct Literals {
    list: Vec<Literal>,
    /// The number of bodies that have been visited.
    bodies: usize,
}

impl Literals {
    /// Returns the literal text that contains a span.
    fn containing(&self, span: TemplateSpan) -> Option<&Literal> {
        add_steps(1);
        let next = self.list.partition_point(|literal| literal.span.start <= span.start);
        self.list.get(next.checked_sub(1)?).filter(|literal| literal.span.contains(span))
    }

    /// Marks the line breaks in literal text at both ends of a section between two markers.
    fn mark_breaks(&self, text: &str, section: Range<usize>, insertions: &mut Vec<Insertion>) {
        let Range { start, end } = section;
        if start >= end {
            return;
        }
        let first = self.containing(TemplateSpan::new(start, start + 1));
        let last = self.containing(TemplateSpan::new(end - 1, end));
        let leading = first.map_or("", |it| text.get(start..it.span.end.min(end)).unwrap_or(""));
        let trailing = last.map_or("", |it| text.get(it.span.start.max(start)..end).unwrap_or(""));
        let leading_end = start + (leading.len() - trim_line_breaks_start(leading).len());
        let trailing_start = end - (trailing.len() - trim_line_breaks_end(trailing).len());
        if leading_end >= trailing_start {
            // There are only line breaks. The first of them ends the line of the marker.
            insertions.push(syntax::break_before((start + 1).min(end)));
            return;
        }
        if leading_end > start {
            insertions.push(syntax::break_after(leading_end));
        }
        if trailing_start < end {
            insertions.push(syntax::break_before(trailing_start));
        }
    }

    /// Adds the literal texts of a body, which gets the next number, and of the bodies in it.
    fn collect(&mut self, nodes: &[Node]) {
        self.bodies += 1;
        let body = self.bodies;
        for node in nodes {
            match &node.kind {
                NodeKind::Text(_) => self.list.push(Literal { span: node.span, body }),
                NodeKind::If(_)
                | NodeKind::For(_)
                | NodeKind::With { .. }
                | NodeKind::Section(_)
                | NodeKind::Context(_)
                | NodeKind::RecursivePartial(_) => {
                    walk::bodies(node).into_iter().for_each(|body| self.collect(body));
                }
                // The other nodes are values, or capture their text.
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::jinja::syntax::parse;

    /// Counts the markers; a template with a syntax error has none.
    fn count(text: &str) -> usize {
        parse(text).map_or(usize::MAX, |template| find(text, &template).len())
    }

    #[test]
    fn a_marker_may_contain_expressions_and_complete_blocks() {
        assert_eq!(count("user[a={{ x }}]:"), 1);
        assert_eq!(count("user[a={% if x %}b{% endif %}]:"), 1);
    }

    #[test]
    fn a_marker_is_written_completely_or_not_at_all() {
        assert_eq!(count("{% for x in y %}\nuser[a=b]{% else %}user[c=d]:\n{% endfor %}"), 0);
        assert_eq!(count("{% if x %}\nuser[a={% endif %}1]:"), 0);
    }
}
