//! Helpers of all conversions: maps and values that are created at places of the file.

use std::sync::Arc;

use prompty_core::ordered_map::OrderedMap;

use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use prompty_core::diagnostic::SourceSpan;

/// The entries of a map that is being built.
pub(super) type Entries = OrderedMap<Arc<str>, Entry>;

/// A key that only the first version has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OldKey {
    pub(super) key: &'static str,
    /// Its name in the second version, for messages.
    pub(super) new_name: &'static str,
    pub(super) span: SourceSpan,
}

/// A map with the place and the origin of a node.
pub(super) fn map_node(mapping: Mapping, at: &Node) -> Node {
    Node { kind: NodeKind::Map(Arc::new(mapping)), ..at.clone() }
}

/// A map with another value under a key that it has.
pub(super) fn replace_value(map: &Node, key: &str, value: Node) -> Node {
    let Some(mapping) = map.as_map() else { return map.clone() };
    let mut entries = mapping.entries.clone();
    if let Some(entry) = entries.get_mut(key) {
        entry.value = value;
    }
    map_node(mapping.with_entries(entries), map)
}

/// Converts the values of a map with `of_map`, or the items of a list with `of_list`.
pub(super) fn convert_each(
    node: &Node,
    of_map: impl Fn(&Node) -> Node,
    of_list: impl Fn(&Node) -> Node,
) -> Node {
    match &node.kind {
        NodeKind::Map(named) => {
            let entries = named.entries.iter();
            let entries =
                entries.map(|(name, entry)| (Arc::clone(name), entry.with(of_map(&entry.value))));
            map_node(named.with_entries(entries.collect()), node)
        }
        NodeKind::List(items) => {
            let items = items.iter().map(of_list).collect();
            Node { kind: NodeKind::List(Arc::new(items)), ..node.clone() }
        }
        _ => node.clone(),
    }
}

/// A string that is derived from a node.
pub(super) fn derived_text(text: &str, from: &Node) -> Node {
    Node { kind: NodeKind::Text(text.into()), ..from.clone() }
}

/// An entry that is derived from another one. It has its place, but with an empty span for the key.
pub(super) fn derived_entry(from: &Entry, kind: NodeKind) -> Entry {
    Entry { key: start_of(from.key), value: Node { kind, ..from.value.clone() } }
}

/// The place of a value that the file lacks, but that is derived from the text at `span`.
pub(super) fn start_of(span: SourceSpan) -> SourceSpan {
    SourceSpan::new(span.start, span.start)
}

/// The keys of a map with an old name, unless it has the new one too. `renamed` lists old and new
/// names.
pub(super) fn renamed_keys(
    map: &Mapping,
    renamed: &'static [(&'static str, &'static str)],
) -> impl Iterator<Item = OldKey> {
    let old = renamed.iter().filter(|(_, new_name)| !map.entries.contains_key(*new_name));
    old.filter_map(|(key, new_name)| {
        let span = map.entries.get(*key)?.key;
        Some(OldKey { key, new_name, span })
    })
}

/// Inserts an entry under a name.
pub(super) fn add(to: &mut Entries, name: &str, entry: Entry) {
    to.insert(name.into(), entry);
}

/// Inserts an entry under its new name. If the map already has that name, the old name is kept, and
/// is later reported as an unknown key.
pub(super) fn add_renamed(to: &mut Entries, from: &Mapping, old: &str, new: &str, entry: Entry) {
    let name = if from.entries.contains_key(new) || to.contains_key(new) { old } else { new };
    to.insert(name.into(), entry);
}

/// Inserts the entries whose names are new, and returns the others.
pub(super) fn add_new(
    to: &mut Entries,
    added: impl IntoIterator<Item = (Arc<str>, Entry)>,
) -> Vec<(Arc<str>, Entry)> {
    let mut others = Vec::new();
    for (name, entry) in added {
        if to.contains_key(&name) {
            others.push((name, entry));
        } else {
            to.insert(name, entry);
        }
    }
    others
}
