//! Declares lists as threads in a migrated file, like `role_loops`.

use std::collections::HashSet;

use super::entries::{map_node, replace_value};
use crate::definition::assembler::Assembler;
use crate::definition::node::{Mapping, Node, NodeKind};
use prompty_template::jinja;
use prompty_template::jinja::role_loops::{LoopInput, threads_of};

/// The front matter with `kind: thread` for lists that the template loops over to write messages.
/// Their `items` are removed, because all messages have the same parts.
pub(super) fn with_threads(root: &Node, template: &str) -> Node {
    let inputs = root.get("inputs").and_then(|inputs| Some((inputs, inputs.as_map()?)));
    let Some((node, inputs)) = inputs.filter(|_| may_have_threads(root)) else {
        return root.clone();
    };
    let Ok(tree) = jinja::syntax::parse(template) else { return root.clone() };
    let declared = |name: &str| match inputs.get(name) {
        Some(input) if is_list(input) => LoopInput::List,
        Some(_) => LoopInput::Other,
        None => LoopInput::Undeclared,
    };
    let threads = threads_of(template, &tree, declared);
    let names: HashSet<&str> = threads.iter().map(|found| found.input.text.as_str()).collect();
    let mut entries = inputs.entries.clone();
    for (_, entry) in entries.iter_mut().filter(|(name, _)| names.contains(&***name)) {
        if let Some(input) = entry.value.as_map().filter(|_| is_list(&entry.value)) {
            entry.value = map_node(as_thread(input), &entry.value);
        }
    }
    replace_value(root, "inputs", map_node(inputs.with_entries(entries), node))
}

/// Whether loops of the template may be threads: it is a Jinja template with role markers.
fn may_have_threads(root: &Node) -> bool {
    let option = |key: &str| {
        let value = root.get("template")?.get(key)?;
        value.as_text().or_else(|| value.get("kind")?.as_text())
    };
    option("parser").is_none_or(|parser| parser == "prompty")
        && option("format")
            .is_none_or(|format| Assembler::of_format(format) == Some(Assembler::Jinja))
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
