//! The calls that mark messages: `{{ message("user") }}`, and blocks named `message` or by a role.

use super::body::role_of_block;
use super::findings;
use super::pieces::{self, TagPiece};
use super::roles::ROLES;
use crate::message_tags::syntax::{MAX_ATTRIBUTES, is_attribute_name};
use crate::tree::{Argument, Call, Expr, ExprKind, Node, NodeKind};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};
use prompty_core::message::Role;

/// A call that marks where a message begins or ends.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageCall {
    /// The span of the output or the block.
    pub node: TemplateSpan,
    /// Whether the call opens, closes or encloses the message.
    pub edge: MessageEdge,
    /// The role of the message.
    pub role: Role,
    /// The other attributes, with the expressions of their values.
    pub attributes: Vec<(String, Expr)>,
}

/// The part of a message that a call marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageEdge {
    /// A message begins here.
    Opens,
    /// The open message ends here.
    Closes,
    /// The block is a message.
    Encloses,
}

impl MessageCall {
    /// Returns what a render writes at the beginning of the message; empty if the call only closes
    /// it.
    pub fn opening(&self) -> Vec<TagPiece<&Expr>> {
        if self.edge == MessageEdge::Closes {
            return Vec::new();
        }
        let attributes = self.attributes.iter().map(|(name, value)| (name, value));
        pieces::opening(self.role.as_str(), attributes)
    }

    /// Returns what a render writes at the end of the message; empty if the call only opens it.
    pub fn closing(&self) -> Vec<TagPiece<&Expr>> {
        match self.edge {
            MessageEdge::Opens => Vec::new(),
            MessageEdge::Closes | MessageEdge::Encloses => pieces::closing(),
        }
    }
}

/// Whether a call has a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallForm {
    Function,
    Block,
}

/// Interprets a call that marks a message.
pub(super) fn read(
    node: &Node,
    call: &Call,
    form: CallForm,
) -> Result<MessageCall, Box<Diagnostic<TemplateSpan>>> {
    if let NodeKind::CallBlock { caller, .. } = &node.kind
        && let Some(parameter) = caller.parameters.first()
    {
        return Err(Box::new(findings::argument(parameter.span)));
    }
    let edge = if form == CallForm::Block { MessageEdge::Encloses } else { MessageEdge::Opens };
    let mut role = role_of_block(call).filter(|_| form == CallForm::Block);
    let mut attributes: Vec<(String, Expr)> = Vec::new();
    for argument in &call.arguments {
        let value = argument.expr();
        match argument {
            // `message("user")`
            Argument::Positional(_) if role.is_none() && attributes.is_empty() => {
                role = Some(literal_role(value)?);
            }
            // `message(role="user")`
            Argument::Named(name, _) if name.text == "role" && role.is_none() => {
                role = Some(literal_role(value)?);
            }
            // `message("user", name="Ada")`
            Argument::Named(name, _) if name.text != "role" => {
                if !is_attribute_name(&name.text) {
                    return Err(Box::new(findings::attribute_name(name)));
                }
                if attributes.iter().any(|(known, _)| *known == name.text) {
                    return Err(Box::new(findings::argument(name.span)));
                }
                // The role is an attribute too.
                if attributes.len() + 1 >= MAX_ATTRIBUTES {
                    return Err(Box::new(findings::too_many(name.span)));
                }
                attributes.push((name.text.clone(), value.clone()));
            }
            _ => return Err(Box::new(findings::argument(value.span))),
        }
    }
    let Some(role) = role else { return Err(Box::new(findings::call_without_role(call))) };
    Ok(MessageCall { node: node.span, edge, role, attributes })
}

fn literal_role(value: &Expr) -> Result<Role, Box<Diagnostic<TemplateSpan>>> {
    let ExprKind::Literal(literal) = &value.kind else {
        return Err(Box::new(findings::computed_role(value.span)));
    };
    let name = literal.as_str().unwrap_or_default();
    ROLES
        .into_iter()
        .find(|role| role.as_str().eq_ignore_ascii_case(name))
        .ok_or_else(|| Box::new(findings::unknown_role(name, value.span)))
}
