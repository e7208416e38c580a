//! Walks over a template's tree.

use super::ast::{Expr, Node, NodeKind};
use crate::diagnostic::Span;

/// The bodies of a node, in order.
pub fn bodies(node: &Node) -> Vec<&[Node]> {
    match &node.kind {
        NodeKind::Text(_) | NodeKind::Output(_) | NodeKind::Set { .. } | NodeKind::Do(_) => {
            Vec::new()
        }
        NodeKind::If(branching) => {
            let branches = branching.branches.iter().map(|(_, body)| body.as_slice());
            branches.chain(branching.otherwise.as_deref()).collect()
        }
        NodeKind::For(repeated) => vec![&repeated.body, &repeated.otherwise],
        NodeKind::SetBlock { body, .. }
        | NodeKind::With { body, .. }
        | NodeKind::FilterBlock { body, .. }
        | NodeKind::Unsupported { body, .. } => vec![body],
        NodeKind::Macro(declared) => vec![&declared.body],
        NodeKind::CallBlock { caller, .. } => vec![&caller.body],
        NodeKind::Section(section) => vec![&section.body],
    }
}

/// Calls `visit` with the place of every literal text.
pub fn texts(nodes: &[Node], visit: &mut impl FnMut(Span)) {
    for node in nodes {
        if matches!(node.kind, NodeKind::Text(_)) {
            visit(node.span);
        }
        for body in bodies(node) {
            texts(body, visit);
        }
    }
}

/// Calls `visit` with every expression whose value goes straight to the output, in order.
pub fn direct_outputs(nodes: &[Node], visit: &mut impl FnMut(&Expr)) {
    for node in nodes {
        match &node.kind {
            NodeKind::Output(value) => visit(value),
            NodeKind::If(_) | NodeKind::For(_) | NodeKind::With { .. } | NodeKind::Section(_) => {
                bodies(node).into_iter().for_each(|body| direct_outputs(body, visit));
            }
            _ => {}
        }
    }
}

/// Whether any node writes more than once: a loop, a section, or a macro that may be called often.
pub fn repeats(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        matches!(node.kind, NodeKind::For(_) | NodeKind::Macro(_) | NodeKind::Section(_))
            || bodies(node).into_iter().any(repeats)
    })
}
