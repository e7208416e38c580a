//! The names that a template binds. A call of such a name does not mark a message. The item of a
//! list is neither a thread nor media.

use std::collections::HashMap;

use super::roles::{MESSAGE, ROLES};
use crate::tree::{ContextKind, Expr, ExprKind, Node, NodeKind};
use crate::walk;

/// The names of marking calls that a template has bound at a place: `message`, and the names of
/// roles. A call of a bound name does not mark a message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BoundNames {
    message: bool,
    roles: [bool; ROLES.len()],
}

impl BoundNames {
    /// Returns the names that the root of a template binds.
    pub(super) fn of_root(nodes: &[Node]) -> Self {
        Self::default().with_nodes(nodes)
    }

    /// Returns the names that are bound in the bodies of a node. A `set` after a place counts for
    /// the place too, because a template uses a name either for its own variable or for the
    /// function.
    pub(super) fn within(self, node: &Node) -> Self {
        if !has_scope(node) {
            return self;
        }
        let bound = self.with_names(node);
        walk::bodies(node).into_iter().fold(bound, Self::with_nodes)
    }

    /// Whether the template has bound a name.
    pub(super) fn has(self, name: &str) -> bool {
        let mut roles = ROLES.iter().zip(self.roles);
        name == MESSAGE && self.message || roles.any(|(role, bound)| bound && role.as_str() == name)
    }

    fn with_nodes(self, nodes: &[Node]) -> Self {
        nodes.iter().fold(self, |bound, node| match &node.kind {
            NodeKind::Set { .. } | NodeKind::SetBlock { .. } => bound.with_names(node),
            NodeKind::Macro(declared) => bound.with_name(&declared.name.text),
            _ if has_scope(node) => bound,
            _ => walk::bodies(node).into_iter().fold(bound, Self::with_nodes),
        })
    }

    fn with_names(self, node: &Node) -> Self {
        let bound = walk::bound_names(node).into_iter();
        let bound = bound.fold(self, |bound, name| bound.with_name(&name.text));
        match &node.kind {
            NodeKind::Context(block) => {
                block.parameters.iter().fold(bound, |bound, name| bound.with_name(&name.text))
            }
            _ => bound,
        }
    }

    fn with_name(mut self, name: &str) -> Self {
        self.message |= name == MESSAGE;
        for (bound, role) in self.roles.iter_mut().zip(ROLES) {
            *bound |= role.as_str() == name;
        }
        self
    }
}

/// Whether the names that a node binds are invisible after the node.
fn has_scope(node: &Node) -> bool {
    match &node.kind {
        NodeKind::For(_)
        | NodeKind::With { .. }
        | NodeKind::Macro(_)
        | NodeKind::CallBlock { .. }
        | NodeKind::SetBlock { .. }
        | NodeKind::FilterBlock { .. } => true,
        NodeKind::Context(block) => !block.parameters.is_empty(),
        _ => false,
    }
}

/// The item names of the enclosing loops, each with the number of loops that use it.
#[derive(Default)]
pub(super) struct ItemNames<'t> {
    counts: HashMap<&'t str, usize>,
}

impl<'t> ItemNames<'t> {
    pub(super) fn enter(&mut self, names: &[&'t str]) {
        names.iter().for_each(|name| *self.counts.entry(name).or_default() += 1);
    }

    pub(super) fn leave(&mut self, names: &[&'t str]) {
        for name in names {
            if let Some(count) = self.counts.get_mut(name) {
                *count -= 1;
            }
        }
    }

    /// Whether an expression is the name of an item.
    pub(super) fn has(&self, expr: &Expr) -> bool {
        let ExprKind::Variable(name) = &expr.kind else { return false };
        self.counts.get(name.as_str()).is_some_and(|count| *count > 0)
    }
}

/// Returns the item names of a loop, unless the template itself constructs the list.
pub(super) fn item_names(node: &Node) -> Vec<&str> {
    let is_made_here = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::List(_)
                | ExprKind::Tuple(_)
                | ExprKind::Conditional { .. }
                | ExprKind::Binary { .. }
        )
    };
    match &node.kind {
        NodeKind::For(repeated) if !is_made_here(&repeated.iterable) => {
            repeated.target.names().into_iter().map(|name| name.text.as_str()).collect()
        }
        NodeKind::Context(block) if block.kind == ContextKind::Each => {
            block.parameters.iter().map(|name| name.text.as_str()).collect()
        }
        _ => Vec::new(),
    }
}
