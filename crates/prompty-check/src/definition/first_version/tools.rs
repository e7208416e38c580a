//! Converts tools of the first version, which have `id` and `type` instead of `name` and `kind`.

use super::entries::{Entries, OldKey, add, add_renamed, convert_each, map_node, renamed_keys};
use super::properties;
use crate::definition::node::{Node, NodeKind};

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
    convert_each(node, |it| tool(it, &[TYPE]), |it| tool(it, &RENAMED))
}

/// Converts a tool. `renamed` lists its old keys with their new names.
fn tool(node: &Node, renamed: &[(&str, &str)]) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len());
    for (key, entry) in &mapping.entries {
        match renamed.iter().find(|(old, _)| *old == &**key) {
            Some((old, new)) => add_renamed(&mut entries, mapping, old, new, entry.clone()),
            None if &**key == "parameters" => {
                add(&mut entries, key, entry.with(properties::properties(&entry.value, true)));
            }
            None => add(&mut entries, key, entry.clone()),
        }
    }
    map_node(mapping.with_entries(entries), node)
}
