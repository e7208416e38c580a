//! Which texts of a body may be the last before an edge of a message or part.

use super::body::{Body, Item};
use prompty_core::diagnostic::Span;
use prompty_core::text::slice;

/// For each item, whether perhaps nothing is written between it and the next edge. `may_end` says it of the
/// end of the body.
pub(super) fn before_edges(text: &str, items: &[Item<'_>], may_end: bool) -> Vec<bool> {
    let mut before = Vec::with_capacity(items.len());
    let mut is_edge_next = may_end;
    for item in items.iter().rev() {
        before.push(is_edge_next);
        is_edge_next = reaches_edge(text, item, is_edge_next);
    }
    before.reverse();
    before
}

/// Whether perhaps nothing is written between the start of an item and the next edge. `behind` says it of
/// its end.
///
/// Of a block only the beginning is looked at. It errs on the side of yes, which costs a mark and changes
/// nothing.
fn reaches_edge(text: &str, item: &Item<'_>, behind: bool) -> bool {
    match item {
        Item::Text(span) => behind && is_blank(text, *span),
        Item::Dropped(_) | Item::Instruction(_) => behind,
        Item::Tag(tag) => tag.element.is_some(),
        // What a partial begins with is not followed into itself.
        Item::Partial { .. } | Item::Recursion(_) => true,
        Item::Call(..) | Item::MessageBlock(..) => true,
        Item::Broken(_) | Item::Entity(_) | Item::Value(_) => false,
        Item::Captured { is_written, .. } => behind && !is_written,
        Item::Ways(ways) => {
            let reaches = |body: &Body<'_>| match body.items.first() {
                Some(Item::Text(span)) => is_blank(text, *span),
                Some(Item::Ways(_) | Item::Dropped(_)) => true,
                Some(first) => reaches_edge(text, first, behind),
                None => behind,
            };
            ways.may_skip && behind || ways.bodies.iter().any(reaches)
        }
    }
}

fn is_blank(text: &str, span: Span) -> bool {
    slice(text, span.start..span.end).trim().is_empty()
}
