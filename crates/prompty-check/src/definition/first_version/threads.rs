//! Declares lists as threads in a migrated file, like `role_loops`.

use std::collections::HashSet;

use super::entries::map_node;
use crate::definition::assembler::Assembler;
use crate::definition::node::{Mapping, Node, NodeKind};
use prompty_template::jinja;
use prompty_template::jinja::role_loops::{LoopInput, threads_of};

/// The front matter with `kind: thread` for lists that the template loops over to write messages.
/// Their `items` are removed, because all messages have the same parts.
pub(super) fn with_threads(root: &Node, template: &str) -> Node {
    let option = |key: &str| {
        let value = root.get("template")?.get(key)?;
        value.as_text().or_else(|| value.get("kind")?.as_text())
    };
    let is_ours = option("parser").is_none_or(|parser| parser == "prompty");
    let has_loops = |format| Assembler::of_format(format) == Some(Assembler::Jinja);
    if !is_ours || option("format").is_some_and(|format| !has_loops(format)) {
        return root.clone();
    }
    let Some((root_map, inputs)) = root.as_map().zip(root.get("inputs").and_then(Node::as_map))
    else {
        return root.clone();
    };
    let declared = |name: &str| match inputs.get(name) {
        Some(input) if is_list(input) => LoopInput::List,
        Some(_) => LoopInput::Other,
        None => LoopInput::Undeclared,
    };
    let Ok(tree) = jinja::syntax::parse(template) else { return root.clone() };
    let threads = threads_of(template, &tree, declared);
    let threads: HashSet<&str> = threads.iter().map(|found| found.input.text.as_str()).collect();
    let mut entries = inputs.entries.clone();
    for (_, entry) in entries.iter_mut().filter(|(name, _)| threads.contains(&***name)) {
        if let Some(input) = entry.value.as_map().filter(|_| is_list(&entry.value)) {
            entry.value = map_node(as_thread(input), &entry.value);
        }
    }
    let mut parts = root_map.entries.clone();
    if let Some(entry) = parts.get_mut("inputs") {
        entry.value = map_node(inputs.with_entries(entries), &entry.value);
    }
    map_node(root_map.with_entries(parts), root)
}

fn is_list(input: &Node) -> bool {
    input.get("kind").and_then(Node::as_text) == Some("array")
}

fn as_thread(input: &Mapping) -> Mapping {
    let mut entries = input.entries.clone();
    entries.remove("items");
    if let Some(kind) = entries.get_mut("kind") {
        kind.value.kind = NodeKind::Text("thread".into());
    }
    input.with_entries(entries)
}
