//! The messages of templates that mark them by tags: `<message role="user">…</message>`, by calls of
//! `message`, or by blocks.
//!
//! They are found in the tree, before an engine compiles it. A tag is structure only if the author wrote it
//! as literal text that goes straight to the output; what an expression writes is data. The language of
//! the template does not matter: all that is read is its tree. Elements follow .NET's Semantic Kernel: in a
//! message, `<text>`, `<image>`, `<audio>` and `<file>` are parts, and all else is text.

mod body;
mod calls;
mod ends;
mod findings;
mod found;
mod marks;
mod outline;
mod prose;
mod words;

#[cfg(feature = "check")]
pub(crate) use body::{MESSAGE, opens_message};
pub use calls::{MessageCall, MessageEdge};
pub use found::Tags;
#[cfg(any(feature = "jinja2", feature = "render"))]
pub(crate) use words::ROLES;
#[cfg(feature = "render")]
pub(crate) use words::is_url;

use crate::nonce::tag::Element;
use body::{Body, BrokenKind, Item};
use prompty_core::template::tree::{Node, NodeKind, Template};
use prompty_core::template::walk;

/// Finds the messages of a template.
pub fn find(text: &str, template: &Template) -> Tags {
    let has_calls = !declares_message(&template.nodes);
    let root = body::read(text, &template.nodes, has_calls);
    let is_one_message = !has_message(&root);
    outline::outline(text, &root, is_one_message)
}

/// Whether a macro of the template has the name of the function that marks messages.
fn declares_message(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        let is_declared = matches!(&node.kind, NodeKind::Macro(it) if it.name.text == "message");
        is_declared || walk::bodies(node).into_iter().any(declares_message)
    })
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
        Item::Partial { body, is_opaque, .. } => !is_opaque && has_message(body),
        Item::Ways(ways) => !ways.is_opaque && ways.bodies.iter().any(has_message),
        _ => false,
    })
}
