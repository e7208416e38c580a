//! The messages of templates that mark them by tags: `<message role="user">…</message>`, by calls of
//! `message`, or by blocks.
//!
//! They are found in the tree, before an engine compiles it. A tag is structure only if the author wrote it
//! as literal text that goes straight to the output; what an expression writes is data. The language of
//! the template does not matter: all that is read is its tree. Elements follow .NET's Semantic Kernel: in a
//! message, `<text>`, `<image>`, `<audio>` and `<file>` are parts, and all else is text.

mod body;
mod calls;
mod content;
mod ends;
mod findings;
mod found;
mod marks;
mod misplaced;
mod names;
mod outline;
pub mod pieces;
mod prose;
mod state;
pub mod syntax;
mod words;
mod written;

pub use calls::{MessageCall, MessageEdge};
pub use found::Tags;
pub use words::{ROLES, is_url};

use crate::message_tags::syntax::Element;
use crate::tree::{BinaryOperator, Expr, ExprKind, Template};
use body::{Body, BrokenKind, Item};
use prompty_core::diagnostic::TemplateSpan;

/// Finds the messages of a template.
pub fn find(text: &str, template: &Template) -> Tags {
    find_with(text, template, &|_| false)
}

/// Finds the messages of a template. `is_text` says of an input whether it is known to be neither a thread nor a
/// medium, so that white space beside it needs no mark.
pub fn find_with(text: &str, template: &Template, is_text: &dyn Fn(&str) -> bool) -> Tags {
    let root = body::read(text, &template.nodes);
    let is_one_message = !has_message(&root.body);
    let mut found =
        outline::outline(text, &root.body, is_one_message, &|expr| prints_text(expr, is_text));
    let mut calls = root.calls;
    let misplaced = misplaced::tell(&template.nodes, &mut calls);
    // What a misplaced call prints is not told once more.
    let names = misplaced.iter().filter_map(|finding| finding.span).collect();
    found.outside = without_those_around(found.outside, names);
    found.findings.extend(misplaced);
    found.call_names = calls.into_iter().collect();
    found.call_names.sort_unstable();
    found
}

/// The places in which none of the `inner` ones lies.
fn without_those_around(
    places: Vec<TemplateSpan>,
    mut inner: Vec<TemplateSpan>,
) -> Vec<TemplateSpan> {
    inner.sort_unstable();
    let holds_none = |place: &TemplateSpan| {
        let next = inner.partition_point(|it| it.start < place.start);
        inner.get(next).is_none_or(|it| !place.contains(*it))
    };
    places.into_iter().filter(holds_none).collect()
}

/// Whether an expression is known to print neither a thread nor a medium. These are inputs, and no parts of one.
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

/// Whether a body marks a message.
fn has_message(body: &Body<'_>) -> bool {
    body.items.iter().any(|item| match item {
        Item::Tag(tag) => tag.element == Some(Element::Message),
        Item::Broken(broken) => matches!(
            broken.what,
            BrokenKind::Tag(Element::Message, _) | BrokenKind::Block(Element::Message)
        ),
        Item::Call(..) | Item::MessageBlock(..) => true,
        Item::Partial { body, .. } => has_message(body),
        Item::Ways(ways) => ways.bodies.iter().any(has_message),
        _ => false,
    })
}
