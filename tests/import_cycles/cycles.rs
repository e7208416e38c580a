//! Finds cycles in a graph: sets of nodes in which every node is reachable from every other one.

use std::collections::{BTreeMap, BTreeSet};

/// The cycles of a graph, given by its edges. The largest comes first.
pub(crate) fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        targets.entry(from).or_default().push(to);
    }
    let reachable: BTreeMap<&str, BTreeSet<&str>> =
        targets.keys().map(|node| (*node, reachable_from(node, &targets))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (node, reached) in &reachable {
        if !reached.contains(node) || !seen.insert(*node) {
            continue;
        }
        let is_back = |other: &&str| reachable.get(other).is_some_and(|it| it.contains(node));
        let cycle: Vec<&str> = reached.iter().copied().filter(|other| is_back(other)).collect();
        seen.extend(cycle.iter());
        found.push(cycle.into_iter().map(str::to_owned).collect::<Vec<String>>());
    }
    found.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    found
}

fn reachable_from<'g>(start: &str, targets: &BTreeMap<&'g str, Vec<&'g str>>) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = targets.get(start).cloned().unwrap_or_default();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(targets.get(node).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn nodes_that_reach_each_other_are_a_cycle() {
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")];
        let edges = edges.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        assert_eq!(cycles(&edges), [vec!["a", "b", "c"], vec!["d", "e"]]);
    }
}
