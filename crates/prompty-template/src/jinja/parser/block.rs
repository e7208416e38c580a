//! The blocks that are open while a template is read.

use crate::jinja::mistakes::OpenBlock;
use crate::tree::{For, If, Macro, Node, NodeKind};

/// A block that is open. Blocks lie on a list and not in each other's functions, so that they take no
/// stack however deep they are nested.
#[derive(Debug)]
pub(super) struct Block {
    /// How messages show it.
    pub(super) shown: OpenBlock,
    /// The node; each of its bodies is put into it where the body ends.
    pub(super) kind: NodeKind,
    /// Whether its `else` is being read.
    pub(super) is_in_else: bool,
    /// What its `elif`s cost.
    pub(super) elif_cost: usize,
    /// The nodes in front of it, in the block around it.
    pub(super) before: Vec<Node>,
}

impl Block {
    /// Whether a tag goes on with this block, or closes it.
    pub(super) fn has_part(&self, keyword: &str) -> bool {
        match (keyword, &self.kind) {
            ("elif", NodeKind::If(_)) => !self.is_in_else,
            ("else", NodeKind::If(_) | NodeKind::For(_)) => !self.is_in_else,
            _ => keyword.strip_prefix("end") == Some(self.shown.keyword),
        }
    }

    /// Puts a body that has ended into its place.
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
            NodeKind::Text(_)
            | NodeKind::Output(_)
            | NodeKind::Set { .. }
            | NodeKind::Do(_)
            | NodeKind::Section(_)
            | NodeKind::Context(_)
            | NodeKind::RecursivePartial(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::OtherTemplate(_)
            | NodeKind::Partial => {}
        }
    }
}
