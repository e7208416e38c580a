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
mod marks;
mod outline;
mod prose;

#[cfg(feature = "check")]
pub(crate) use body::{MESSAGE, opens_message};
pub use calls::{MessageCall, MessageEdge};

use crate::nonce::marker::Insertion;
use crate::nonce::tag::Element;
use body::{Body, BrokenKind, Item};
use prompty_core::diagnostic::{Diagnostic, Severity, Span};
use prompty_core::jinja::SyntaxError;
use prompty_core::jinja::tree::{Node, NodeKind, Template};
use prompty_core::jinja::walk;
use prompty_core::message::Role;

/// The roles that a tag can give.
pub(crate) const ROLES: [Role; 5] =
    [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool];

/// Whether a text names what an image, a sound or a file is: by a URL that needs no file of this computer.
pub(crate) fn is_url(text: &str) -> bool {
    ["https://", "http://", "data:"].into_iter().any(|scheme| {
        let written = text.get(..scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    })
}

/// The messages of a template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Tags {
    /// Whether the template marks no message, so that all of it is one message of the user.
    pub is_one_message: bool,
    /// What a render writes into the literal texts, from left to right.
    pub insertions: Vec<Insertion>,
    /// The places of attributes in which expressions stand, from left to right.
    pub attributes: Vec<Span>,
    /// The calls that mark messages, in the order of the text.
    pub calls: Vec<MessageCall>,
    /// The messages with the places where they are opened, in the order of the text.
    pub messages: Vec<(Role, Span)>,
    /// The expressions that are printed outside of messages, where only threads can be.
    pub outside: Vec<Span>,
    /// What is wrong, in the order of the text, with places in the template's text.
    pub findings: Vec<Diagnostic>,
}

impl Tags {
    /// The first finding with which the template cannot be rendered.
    pub fn error(&self) -> Option<SyntaxError> {
        let mut findings = self.findings.iter();
        let finding = findings.find(|finding| finding.severity == Severity::Error)?;
        let error = SyntaxError::new(finding.span.unwrap_or_default(), finding.message.as_str());
        Some(match finding.help.first() {
            Some(help) => error.with_help(help.as_str()),
            None => error,
        })
    }
}

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
