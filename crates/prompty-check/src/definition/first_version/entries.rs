//! What the conversions of all parts need: maps that are being made, at the places of the file.

use std::sync::Arc;

use prompty_core::ordered_map::OrderedMap;

use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use prompty_core::diagnostic::SourceSpan;

/// The entries of a map that is being made.
pub(super) type Entries = OrderedMap<Arc<str>, Entry>;

/// A key that only the first version has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) key: &'static str,
    /// What the second version has in its place, as messages say it.
    pub(super) now: &'static str,
    pub(super) span: SourceSpan,
}

/// A map at the place of a node, and of its origin.
pub(super) fn map_node(mapping: Mapping, at: &Node) -> Node {
    Node { kind: NodeKind::Map(Arc::new(mapping)), ..at.clone() }
}

/// A word that follows from a node.
pub(super) fn text_of(text: &str, from: &Node) -> Node {
    Node { kind: NodeKind::Text(text.into()), ..from.clone() }
}

/// An entry that follows from another one. It is at its place, and none of its text is its own.
pub(super) fn derived(from: &Entry, kind: NodeKind) -> Entry {
    Entry { key: start_of(from.key), value: Node { kind, ..from.value.clone() } }
}

/// The place of what is written nowhere but follows from the text at `span`.
pub(super) fn start_of(span: SourceSpan) -> SourceSpan {
    SourceSpan::new(span.start, span.start)
}

/// Inserts an entry under its new name. If the map has that name already, the old one stays, to be
/// reported as an unknown key.
pub(super) fn insert_new(to: &mut Entries, from: &Mapping, old: &str, new: &str, entry: Entry) {
    let name = if from.entries.contains_key(new) || to.contains_key(new) { old } else { new };
    to.insert(name.into(), entry);
}
