//! What perhaps stands beside a text, with nothing written between.

use super::body::{Body, Item};
use crate::tree::Expr;
use prompty_core::diagnostic::TemplateSpan;

/// What perhaps stands beside a text. Where there are several ways, the last of these counts: it errs on the
/// side of a mark too many, which changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beside {
    /// Text, and nothing else.
    Text,
    /// A value, which may be a thread or a medium.
    Value,
    /// An edge of a message or part.
    Edge,
}

impl Beside {
    /// What a value is for the text beside it.
    pub(super) fn of_value(is_text: bool) -> Self {
        if is_text { Self::Text } else { Self::Value }
    }
}

/// What perhaps follows each item at once. `behind` is what follows the body.
pub(super) fn behind_items(
    text: &str,
    items: &[Item<'_>],
    behind: Beside,
    is_text: &dyn Fn(&Expr) -> bool,
) -> Vec<Beside> {
    let mut list = Vec::with_capacity(items.len());
    let mut next = behind;
    for item in items.iter().rev() {
        list.push(next);
        next = at_start(text, item, next, is_text);
    }
    list.reverse();
    list
}

/// What perhaps stands at the start of an item. `behind` is what stands at its end. Of a block only the
/// beginning is looked at.
fn at_start(
    text: &str,
    item: &Item<'_>,
    behind: Beside,
    is_text: &dyn Fn(&Expr) -> bool,
) -> Beside {
    match item {
        Item::Text(span) if is_blank(text, *span) => behind,
        Item::Text(_) | Item::Broken(_) | Item::Entity(_) => Beside::Text,
        Item::Dropped(_) | Item::Instruction(_) => behind,
        Item::Tag(tag) if tag.element.is_none() => Beside::Text,
        Item::Tag(_) | Item::Call(..) | Item::MessageBlock(..) => Beside::Edge,
        // What a partial begins with is not followed into itself.
        Item::Partial { .. } | Item::Recursion { .. } => Beside::Edge,
        Item::Value { expr, is_item } => Beside::of_value(*is_item || is_text(expr)),
        Item::Captured { is_written: true, .. } => Beside::Value,
        Item::Captured { is_written: false, .. } => behind,
        Item::Ways(ways) => {
            let first = |body: &Body<'_>| match body.items.first() {
                Some(Item::Text(span)) if !is_blank(text, *span) => Beside::Text,
                Some(Item::Text(_) | Item::Ways(_) | Item::Dropped(_)) => Beside::Edge,
                Some(first) => at_start(text, first, behind, is_text),
                None => behind,
            };
            let skipped = if ways.may_skip { behind } else { Beside::Text };
            ways.bodies.iter().map(first).fold(skipped, Beside::max)
        }
    }
}

pub(super) fn is_blank(text: &str, span: TemplateSpan) -> bool {
    span.text_in(text).is_some_and(|written| written.trim().is_empty())
}
