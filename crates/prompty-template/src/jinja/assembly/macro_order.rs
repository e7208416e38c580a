//! The order in which the macros of a module are written.

use std::collections::HashMap;

use super::names::FileNames;
use crate::tree::{Node, NodeKind};

/// Returns the nodes of a module with each macro after the definitions that it uses. A macro of
/// Jinja2 may use later definitions, but the engine knows only earlier ones. Other nodes keep their
/// order, because they can use only what is before them.
///
/// For macros `a`, which calls `c`, and `b` and `c`, the order is `c`, `a`, `b`. It is found by a
/// depth-first walk from each node over the nodes that it uses.
pub(super) fn in_order_of_use<'f>(names: &FileNames, nodes: &'f [Node]) -> Vec<&'f Node> {
    let mut bound: HashMap<&str, usize> = HashMap::new();
    let node_at = |place: usize| nodes.partition_point(|node| node.span.end <= place);
    for (name, spans) in &names.top {
        if let Some(first) = spans.first() {
            bound.insert(name, node_at(first.start));
        }
    }
    let mut used: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for reference in names.references.iter().filter(|it| it.bound == Some(0)) {
        let at = node_at(reference.name.span.start);
        let Some(of) = bound.get(reference.name.text.as_str()).copied() else { continue };
        let is_macro = nodes.get(at).is_some_and(|node| matches!(node.kind, NodeKind::Macro(_)));
        if let Some(used) = used.get_mut(at).filter(|_| is_macro || of < at) {
            used.push(of);
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    let mut is_visited = vec![false; nodes.len()];
    // An explicit stack, because a chain of macros may be as long as the module.
    let mut waiting: Vec<Visit> = (0..nodes.len()).rev().map(Visit::Enter).collect();
    while let Some(visit) = waiting.pop() {
        match visit {
            Visit::Leave(index) => order.push(index),
            Visit::Enter(index) => {
                let Some(is_visited) = is_visited.get_mut(index) else { continue };
                if !std::mem::replace(is_visited, true) {
                    waiting.push(Visit::Leave(index));
                    let used = used.get_mut(index).map(std::mem::take).unwrap_or_default();
                    waiting.extend(used.into_iter().rev().map(Visit::Enter));
                }
            }
        }
    }
    order.into_iter().filter_map(|index| nodes.get(index)).collect()
}

/// A step of the depth-first walk over the used nodes.
enum Visit {
    Enter(usize),
    /// All nodes that this node uses have been visited.
    Leave(usize),
}
