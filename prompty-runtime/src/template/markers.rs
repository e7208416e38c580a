//! The role markers of a template: which of its lines are structure.
//!
//! A line is a marker of the template if it matches the expression of §6.2 and the author wrote it
//! as text: its role and its colon lie in literal texts that go straight to the output. What an
//! expression writes is data, and so is what a macro, a `set`, `filter` or `call` block captures.

use std::ops::Range;

use super::ast::{Node, NodeKind, Template};
use crate::diagnostic::Span;
use crate::message::Role;
use crate::nonce::marker::{self, Insertion};

/// A role marker of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateMarker {
    /// The role that it opens.
    pub role: Role,
    /// The whole line, without its newline.
    pub line: Span,
    /// The role's name.
    pub name: Span,
    /// The attributes, without their brackets.
    pub attributes: Option<Span>,
    /// What a render puts into it, from left to right: the nonce, and line breaks where the
    /// marker may come to stand beside other text.
    pub insertions: Vec<Insertion>,
}

/// The role markers of a template, in order.
pub fn find(text: &str, template: &Template) -> Vec<TemplateMarker> {
    let mut literals = Vec::new();
    collect_literals(&template.nodes, &mut literals);
    literals.sort_unstable_by_key(|span| span.start);
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        if let Some(marker) = read(line, start, text.len(), &literals) {
            found.push(marker);
        }
        start += line.len() + 1;
    }
    found
}

fn read(line: &str, start: usize, text_length: usize, literals: &[Span]) -> Option<TemplateMarker> {
    let marker = marker::match_line(line)?;
    let absolute = |range: &Range<usize>| Span::new(start + range.start, start + range.end);
    let name = absolute(&marker.role_range);
    let colon = start + line.rfind(':')?;
    let literal_of = |span: Span| {
        let next = literals.partition_point(|literal| literal.start <= span.start);
        let literal = next.checked_sub(1).and_then(|index| literals.get(index))?;
        literal.contains(span).then_some(*literal)
    };
    let line_span = Span::new(start, start + line.len());
    let first = literal_of(name)?;
    let last = literal_of(Span::new(colon, colon + 1))?;
    let mut insertions = vec![marker::insertion(&marker, start)];
    if line_span.start > 0 && first.start >= line_span.start {
        insertions.insert(0, marker::break_before(first.start));
    }
    if line_span.end < text_length && last.end <= line_span.end {
        insertions.push(marker::break_after(last.end));
    }
    Some(TemplateMarker {
        line: line_span,
        name,
        attributes: marker.attributes_range.as_ref().map(absolute),
        insertions,
        role: marker.role,
    })
}

/// The literal texts that go straight to the output.
fn collect_literals(nodes: &[Node], literals: &mut Vec<Span>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Text(_) => literals.push(node.span),
            NodeKind::If(branching) => {
                for (_, body) in &branching.branches {
                    collect_literals(body, literals);
                }
                if let Some(body) = &branching.otherwise {
                    collect_literals(body, literals);
                }
            }
            NodeKind::For(repeated) => {
                collect_literals(&repeated.body, literals);
                collect_literals(&repeated.otherwise, literals);
            }
            NodeKind::With { body, .. } => collect_literals(body, literals),
            NodeKind::Section(section) => collect_literals(&section.body, literals),
            NodeKind::Output(_)
            | NodeKind::Set { .. }
            | NodeKind::SetBlock { .. }
            | NodeKind::FilterBlock { .. }
            | NodeKind::Macro(_)
            | NodeKind::CallBlock { .. }
            | NodeKind::Do(_)
            | NodeKind::Unsupported { .. } => {}
        }
    }
}
