//! The open blocks of the parser.
//!
//! The tag `{% if a %}` makes an [`ParserBlock`] whose node has no bodies yet. `{% else %}` and
//! `{% endif %}` call [`ParserBlock::end_body`] with the nodes since the tag before.

use crate::jinja::syntax_errors::BlockOpener;
use crate::tree::{For, If, Macro, Node, NodeKind};

/// An open block. Blocks are kept in a list instead of recursive calls, so that they need no stack.
#[derive(Debug)]
pub(super) struct ParserBlock {
    /// The opening tag, for messages.
    pub(super) opener: BlockOpener,
    /// The node. Each of its bodies is added when the body ends.
    pub(super) kind: NodeKind,
    /// Whether its `else` body is being parsed.
    pub(super) is_in_else: bool,
    /// The cost of its `elif`s.
    pub(super) elif_cost: usize,
    /// The nodes before it in the enclosing body.
    pub(super) before: Vec<Node>,
}

impl ParserBlock {
    /// Whether a tag continues or closes this block.
    pub(super) fn has_part(&self, keyword: &str) -> bool {
        match (keyword, &self.kind) {
            ("elif", NodeKind::If(_)) => !self.is_in_else,
            ("else", NodeKind::If(_) | NodeKind::For(_)) => !self.is_in_else,
            _ => keyword.strip_prefix("end") == Some(self.opener.keyword),
        }
    }

    /// Adds a body that has ended to the node.
    pub(super) fn end_body(&mut self, nodes: Vec<Node>) {
        match &mut self.kind {
            NodeKind::If(branching) if self.is_in_else => {
                branching.otherwise = Some(nodes).filter(|nodes| !nodes.is_empty());
            }
            NodeKind::If(If { branches, .. }) => {
                if let Some((_, body)) = branches.last_mut() {
                    *body = nodes;
                }
            }
            NodeKind::For(repeated) if self.is_in_else => repeated.otherwise = nodes,
            NodeKind::For(For { body, .. })
            | NodeKind::SetBlock { body, .. }
            | NodeKind::With { body, .. }
            | NodeKind::FilterBlock { body, .. }
            | NodeKind::Macro(Macro { body, .. })
            | NodeKind::CallBlock { caller: Macro { body, .. }, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => *body = nodes,
            // Other tags do not open a block.
            _ => {}
        }
    }
}
