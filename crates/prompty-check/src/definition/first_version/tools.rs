//! Converts tools of the first version, which have `id` and `type` instead of `name` and `kind`.

use std::sync::Arc;

use super::entries::{Entries, OldKey, add_renamed, map_node, renamed_keys};
use super::properties;
use crate::definition::node::{Entry, Node, NodeKind};

/// The keys of a tool that only the first version has, with their new names. In a map of tools by
/// name, `id` is not the name, so only `type` is renamed.
const RENAMED: [(&str, &str); 2] = [("id", "name"), TYPE];
const TYPE: (&str, &str) = ("type", "kind");

/// The keys of the first version in tools.
pub(super) fn old_keys(node: &Node) -> Vec<OldKey> {
    match &node.kind {
        NodeKind::Map(named) => {
            let tools = named.iter().filter_map(|(_, entry)| entry.value.as_map());
            tools.flat_map(|tool| renamed_keys(tool, &[TYPE])).collect()
        }
        NodeKind::List(items) => {
            let tools = items.iter().filter_map(Node::as_map);
            tools.flat_map(|tool| renamed_keys(tool, &RENAMED)).collect()
        }
        _ => Vec::new(),
    }
}

/// Converts a map or a list of tools.
pub(super) fn tools(node: &Node) -> Node {
    match &node.kind {
        NodeKind::Map(named) => {
            let entries = named.entries.iter().map(|(name, entry)| {
                let value = tool(&entry.value, &[TYPE]);
                (Arc::clone(name), Entry { key: entry.key, value })
            });
            map_node(named.with_entries(entries.collect()), node)
        }
        NodeKind::List(items) => {
            let items = items.iter().map(|item| tool(item, &RENAMED));
            Node { kind: NodeKind::List(Arc::new(items.collect())), ..node.clone() }
        }
        _ => node.clone(),
    }
}

/// Converts a tool. `renamed` lists its old keys with their new names.
fn tool(node: &Node, renamed: &[(&str, &str)]) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len());
    for (key, entry) in &mapping.entries {
        if let Some((old, new)) = renamed.iter().find(|(old, _)| *old == &**key) {
            add_renamed(&mut entries, mapping, old, new, entry.clone());
            continue;
        }
        let value = match &**key {
            "parameters" => properties::properties(&entry.value, true),
            _ => entry.value.clone(),
        };
        entries.insert(Arc::clone(key), Entry { key: entry.key, value });
    }
    map_node(mapping.with_entries(entries), node)
}
