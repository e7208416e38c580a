//! The messages of a template that marks them with tags such as `<message role="user">…</message>`,
//! with calls of `message`, or with blocks.
//!
//! Messages are found in the tree, before an engine compiles it, so the template's language does
//! not matter. A tag is structure only if the author wrote it as literal text that is written
//! directly to the output. The output of an expression is data. The elements are those of .NET's
//! Semantic Kernel: inside a message, `<text>`, `<image>`, `<audio>` and `<file>` are parts, and
//! anything else is text.
//!
//! A template without any message is one message of the user. That depends on the template and not
//! on the rendered text, which has no tags either if all messages are in branches that are skipped.
//!
//! `body` converts the tree into texts, tags and values, with the reader in `syntax`. `outline`
//! then follows all branches, reports errors with the functions of `findings`, and marks the tags
//! for the parser with `marks`. At last, `misplaced` reports the calls of `message` that `body` has
//! not read.

mod body;
mod calls;
mod content;
mod findings;
mod marks;
mod misplaced;
mod names;
mod neighbors;
mod open_elements;
mod outline;
pub mod pieces;
mod prose;
mod roles;
pub mod syntax;
mod tag_text;
mod tags;

pub use calls::{MessageCall, MessageEdge};
pub use roles::{ROLES, is_url};
pub use tags::Tags;

use crate::message_tags::syntax::Element;
use crate::tree::{BinaryOperator, Expr, ExprKind, Template};
use body::{Body, InvalidMarkupKind, Item};
use prompty_core::diagnostic::TemplateSpan;

/// Finds the messages of a template.
pub fn find(text: &str, template: &Template) -> Tags {
    find_with(text, template, &|_| false)
}

/// Finds the messages of a template. `is_text` returns whether an input is known to be neither a
/// thread nor media. White space next to such an input needs no mark.
pub fn find_with(text: &str, template: &Template, is_text: &dyn Fn(&str) -> bool) -> Tags {
    let root = body::read(text, &template.nodes);
    let is_one_message = !has_message(&root.body);
    let mut found =
        outline::outline(text, &root.body, is_one_message, &|expr| prints_text(expr, is_text));
    let mut calls = root.calls;
    let misplaced = misplaced::find_misplaced(&template.nodes, &mut calls);
    // The output of a misplaced call is not also reported as a value outside of messages.
    let names = misplaced.iter().filter_map(|finding| finding.span).collect();
    found.outside = remove_enclosing(found.outside, names);
    found.findings.extend(misplaced);
    found.call_names = calls.into_iter().collect();
    found.call_names.sort_unstable();
    found
}

/// Removes the places that contain an `inner` one.
fn remove_enclosing(places: Vec<TemplateSpan>, mut inner: Vec<TemplateSpan>) -> Vec<TemplateSpan> {
    inner.sort_unstable();
    let holds_none = |place: &TemplateSpan| {
        let next = inner.partition_point(|it| it.start < place.start);
        inner.get(next).is_none_or(|it| !place.contains(*it))
    };
    places.into_iter().filter(holds_none).collect()
}

/// Whether an expression is known to print neither a thread nor media. Only complete inputs are
/// such values.
fn prints_text(expr: &Expr, is_text: &dyn Fn(&str) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Variable(name) => is_text(name),
        // The escaping of an output.
        ExprKind::Filter { value, .. } if value.span == expr.span => prints_text(value, is_text),
        ExprKind::Attribute { value, .. } | ExprKind::Index { value, .. } => {
            !matches!(value.kind, ExprKind::Context(_) | ExprKind::Implicit)
        }
        ExprKind::Implicit | ExprKind::Context(_) | ExprKind::Conditional { .. } => false,
        ExprKind::Binary { operator, .. } => {
            !matches!(operator, BinaryOperator::And | BinaryOperator::Or)
        }
        _ => true,
    }
}

/// Whether a body contains a message.
fn has_message(body: &Body<'_>) -> bool {
    body.items.iter().any(|item| match item {
        Item::Tag(tag) => tag.element == Some(Element::Message),
        Item::InvalidMarkup(invalid) => matches!(
            invalid.kind,
            InvalidMarkupKind::Tag(Element::Message, _)
                | InvalidMarkupKind::Block(Element::Message)
        ),
        Item::Call(..) | Item::MessageBlock(..) => true,
        Item::Partial { body, .. } => has_message(body),
        Item::Alternatives(alternatives) => alternatives.bodies.iter().any(has_message),
        _ => false,
    })
}
