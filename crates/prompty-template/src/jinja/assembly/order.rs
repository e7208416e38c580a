//! The order in which the macros of a module are written.

use std::collections::HashMap;

use super::names::Names;
use crate::tree::{Node, NodeKind};

/// The nodes of a module with each macro behind what it uses: in Jinja2 a macro may use what is defined behind
/// it, and the engine knows at a macro what was defined before. Anything else uses only what stands before it.
pub(super) fn in_order_of_use<'f>(names: &Names, nodes: &'f [Node]) -> Vec<&'f Node> {
    let mut bound: HashMap<&str, usize> = HashMap::new();
    let holding = |place: usize| nodes.partition_point(|node| node.span.end <= place);
    for (name, spans) in &names.top {
        if let Some(first) = spans.first() {
            bound.insert(name, holding(first.start));
        }
    }
    let mut used: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for reference in names.references.iter().filter(|it| it.bound == Some(0)) {
        let at = holding(reference.name.span.start);
        let Some(of) = bound.get(reference.name.text.as_str()).copied() else { continue };
        let is_macro = nodes.get(at).is_some_and(|node| matches!(node.kind, NodeKind::Macro(_)));
        if let Some(used) = used.get_mut(at).filter(|_| is_macro || of < at) {
            used.push(of);
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    let mut is_begun = vec![false; nodes.len()];
    // A list and not the stack: a chain of macros may be as long as the module.
    let mut waiting: Vec<Visit> = (0..nodes.len()).rev().map(Visit::Enter).collect();
    while let Some(visit) = waiting.pop() {
        match visit {
            Visit::Leave(index) => order.push(index),
            Visit::Enter(index) => {
                let Some(is_begun) = is_begun.get_mut(index) else { continue };
                if !std::mem::replace(is_begun, true) {
                    waiting.push(Visit::Leave(index));
                    let used = used.get_mut(index).map(std::mem::take).unwrap_or_default();
                    waiting.extend(used.into_iter().rev().map(Visit::Enter));
                }
            }
        }
    }
    order.into_iter().filter_map(|index| nodes.get(index)).collect()
}

/// A step of the walk over what nodes use.
enum Visit {
    Enter(usize),
    /// All that the node uses is in order.
    Leave(usize),
}
