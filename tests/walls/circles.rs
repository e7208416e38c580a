//! Finds circles in a graph: sets of nodes in which each node can be reached from every other.

use std::collections::{BTreeMap, BTreeSet};

/// The circles of a graph, given by its edges. The largest comes first.
pub(crate) fn circles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
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
        let circle: Vec<&str> = reached.iter().copied().filter(|other| is_back(other)).collect();
        seen.extend(circle.iter());
        found.push(circle.into_iter().map(str::to_owned).collect::<Vec<String>>());
    }
    found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
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
    use super::circles;

    #[test]
    fn files_that_import_each_other_are_a_circle() {
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")];
        let edges = edges.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        assert_eq!(circles(&edges), [vec!["a", "b", "c"], vec!["d", "e"]]);
    }
}
