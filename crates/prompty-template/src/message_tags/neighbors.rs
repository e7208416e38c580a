//! Determines which kind of content may be directly next to a text.

use super::body::{Body, Item};
use crate::tree::Expr;
use prompty_core::diagnostic::TemplateSpan;

/// The content that may be directly next to a text. If several are possible, the greatest applies.
/// It may cause an unnecessary mark, which has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Neighbor {
    /// Only text.
    Text,
    /// A value, which may be a thread or media.
    Value,
    /// The beginning or end of a message or part.
    Edge,
}

impl Neighbor {
    /// Returns the neighbor that a value is for the text next to it.
    pub(super) fn of_value(is_text: bool) -> Self {
        if is_text { Self::Text } else { Self::Value }
    }
}

/// Returns what may directly follow each item. `following` is what follows the body.
pub(super) fn following_neighbors(
    text: &str,
    items: &[Item<'_>],
    following: Neighbor,
    is_text: &dyn Fn(&Expr) -> bool,
) -> Vec<Neighbor> {
    let mut list = Vec::with_capacity(items.len());
    let mut next = following;
    for item in items.iter().rev() {
        list.push(next);
        next = at_start(text, item, next, is_text);
    }
    list.reverse();
    list
}

/// Returns what may be at the start of an item. `following` is what follows the item. Only the
/// first item of a block is examined.
fn at_start(
    text: &str,
    item: &Item<'_>,
    following: Neighbor,
    is_text: &dyn Fn(&Expr) -> bool,
) -> Neighbor {
    match item {
        Item::Text(span) if is_blank(text, *span) => following,
        Item::Text(_) | Item::InvalidMarkup(_) | Item::Entity(_) => Neighbor::Text,
        Item::Dropped(_) | Item::Instruction(_) => following,
        Item::Tag(tag) if tag.element.is_none() => Neighbor::Text,
        Item::Tag(_) | Item::Call(..) | Item::MessageBlock(..) => Neighbor::Edge,
        // The beginning of a partial may be the partial itself, so it is not examined.
        Item::Partial { .. } | Item::Recursion { .. } => Neighbor::Edge,
        Item::Value { expr, is_item } => Neighbor::of_value(*is_item || is_text(expr)),
        Item::Captured { is_written: true, .. } => Neighbor::Value,
        Item::Captured { is_written: false, .. } => following,
        Item::Alternatives(alternatives) => {
            let first = |body: &Body<'_>| match body.items.first() {
                Some(Item::Text(span)) if !is_blank(text, *span) => Neighbor::Text,
                // What follows these is not examined, so it may be anything.
                Some(Item::Text(_) | Item::Alternatives(_) | Item::Dropped(_)) => Neighbor::Edge,
                Some(first) => at_start(text, first, following, is_text),
                None => following,
            };
            let skipped = if alternatives.may_skip { following } else { Neighbor::Text };
            alternatives.bodies.iter().map(first).fold(skipped, Neighbor::max)
        }
    }
}

pub(super) fn is_blank(text: &str, span: TemplateSpan) -> bool {
    span.text_in(text).is_some_and(|written| written.trim().is_empty())
}
