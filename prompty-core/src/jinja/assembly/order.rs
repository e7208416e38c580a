//! The order in which the macros of a module are written.

use std::collections::HashMap;

use super::names::Names;
use crate::template::tree::{Node, NodeKind};

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
    let mut order = Order { used, is_done: vec![false; nodes.len()], list: Vec::new() };
    (0..nodes.len()).for_each(|index| order.visit(index, 0));
    order.list.into_iter().filter_map(|index| nodes.get(index)).collect()
}

struct Order {
    used: Vec<Vec<usize>>,
    is_done: Vec<bool>,
    list: Vec<usize>,
}

impl Order {
    fn visit(&mut self, index: usize, depth: usize) {
        let Some(is_done) = self.is_done.get_mut(index) else { return };
        if std::mem::replace(is_done, true) {
            return;
        }
        if depth < MAX_USES {
            let used = self.used.get_mut(index).map(std::mem::take).unwrap_or_default();
            used.into_iter().for_each(|used| self.visit(used, depth + 1));
        }
        self.list.push(index);
    }
}

/// How long a chain of macros is followed that use each other.
const MAX_USES: usize = 64;
