//! The tree of a front matter: values with their spans and their origins.

use std::sync::Arc;

use prompty_core::ordered_map::OrderedMap;

use super::host::HostParts;
use prompty_core::diagnostic::SourceSpan;
use prompty_core::value::{Map, Value};

/// The maximum depth of nested lists and maps.
pub(super) const MAX_DEPTH: usize = 64;

/// The maximum number of values in a tree. An alias counts as all the values that it expands to.
pub(super) const MAX_NODES: usize = 100_000;

/// A value with its span. It is cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// The span in the prompt's source. Values of a file have the span of the reference.
    pub(super) span: SourceSpan,
    pub(super) origin: Origin,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(Arc<str>),
    List(Arc<Vec<Node>>),
    Map(Arc<Mapping>),
}

/// The origin of a value: the prompt's author, or the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The value is written in the prompt.
    Written,
    /// The value is the default in an `${env:...}` reference, so it is in the prompt as well.
    Default,
    /// The value is written in a file that the prompt refers to.
    File,
    /// The value comes from an environment variable of the host.
    Environment,
}

/// Keys with their values. A key that is repeated keeps its first position.
#[derive(Debug, Clone, Default)]
pub(super) struct Mapping {
    pub(super) entries: OrderedMap<Arc<str>, Entry>,
    /// The parts that came from the host. There are none if references are not resolved.
    host: HostParts,
}

/// A value in a mapping, with the span of its key.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: SourceSpan,
    pub(super) value: Node,
}

impl Entry {
    /// The same key with another value.
    pub(super) fn with(&self, value: Node) -> Self {
        Self { key: self.key, value }
    }
}

impl Origin {
    /// Whether the host and not the prompt's author chose the value.
    pub(super) fn is_host(self) -> bool {
        match self {
            Self::Written | Self::Default => false,
            Self::File | Self::Environment => true,
        }
    }
}

impl Mapping {
    /// A map that the prompt's author wrote. Its values may come from elsewhere.
    pub(super) fn written(entries: OrderedMap<Arc<str>, Entry>) -> Self {
        let parts = entries.iter().map(|(key, entry)| (Arc::clone(key), entry.value.host()));
        Self { host: HostParts::from_entries(parts), entries }
    }

    /// A map that came from the host.
    pub(super) fn from_host(entries: OrderedMap<Arc<str>, Entry>) -> Self {
        Self { entries, host: HostParts::All }
    }

    /// A map with other entries and the same origin.
    pub(super) fn with_entries(&self, entries: OrderedMap<Arc<str>, Entry>) -> Self {
        if self.host.is_all() {
            Self { entries, host: HostParts::All }
        } else {
            Self::written(entries)
        }
    }

    /// The parts that came from the host.
    pub(super) fn host(&self) -> HostParts {
        self.host.clone()
    }

    /// The parts of a key. A key came from the host only if its map did.
    pub(super) fn name_parts(&self) -> HostParts {
        if self.host.is_all() { HostParts::All } else { HostParts::None }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (&**key, entry))
    }

    fn to_map(&self) -> Map {
        self.entries.iter().map(|(key, entry)| (Arc::clone(key), entry.value.to_value())).collect()
    }
}

impl Node {
    pub(super) fn new(kind: NodeKind, span: SourceSpan) -> Self {
        Self { kind, span, origin: Origin::Written }
    }

    /// The parts that came from the host.
    pub(super) fn host(&self) -> HostParts {
        match &self.kind {
            _ if self.origin.is_host() => HostParts::All,
            NodeKind::List(items) => HostParts::from_items(items.iter().map(Self::host)),
            NodeKind::Map(mapping) => mapping.host(),
            _ => HostParts::None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_map(&self) -> Option<&Mapping> {
        match &self.kind {
            NodeKind::Map(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The value of a key; `None` if this is not a map, or if the map lacks the key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// The kind of the value in messages.
    pub(super) fn kind_name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Integer(_) => "an integer",
            NodeKind::Float(_) => "a number",
            NodeKind::Text(_) => "a string",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a map",
        }
    }

    /// The value without its spans.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::Integer(number) => Value::Integer(*number),
            NodeKind::Float(number) => Value::Float(*number),
            NodeKind::Text(text) => Value::String(Arc::clone(text)),
            NodeKind::List(items) => items.iter().map(Self::to_value).collect(),
            NodeKind::Map(mapping) => Value::Object(mapping.to_map()),
        }
    }
}
