//! The tree of a front matter: values that know where they stand and who wrote them.

use std::sync::Arc;

use indexmap::IndexMap;

use prompty_core::diagnostic::Span;
use prompty_core::value::{Map, Value};

/// How deep lists and maps may lie in each other.
pub(super) const MAX_DEPTH: usize = 64;

/// How many values a tree may have, with each alias counted as all that it stands for.
pub(super) const MAX_NODES: usize = 100_000;

/// A value and where it stands. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// Where it stands in the prompt's source. What came out of a referenced file stands where the
    /// reference does.
    pub(super) span: Span,
    pub(super) origin: Origin,
}

/// What a value is.
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

/// Who chose a value: the prompt's author or the host that it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "definition"),
    expect(dead_code, reason = "only loading resolves references")
)]
pub(super) enum Origin {
    /// It is written in the prompt.
    Written,
    /// The default part of an `${env:...}` reference: written in the prompt, too.
    Default,
    /// It is written in a file that the prompt refers to.
    File,
    /// An environment variable of the host.
    Environment,
}

/// Keys and their values in the order of the keys' first places.
#[derive(Debug, Clone, Default)]
pub(super) struct Mapping {
    pub(super) entries: IndexMap<Arc<str>, Entry>,
}

/// A value in a mapping.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Span,
    pub(super) value: Node,
}

impl Mapping {
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
    pub(super) fn new(kind: NodeKind, span: Span) -> Self {
        Self { kind, span, origin: Origin::Written }
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

    /// What stands under a key, if this is a map that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// What it is, as messages say it.
    pub(super) fn kind_name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "nothing",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Integer(_) => "a whole number",
            NodeKind::Float(_) => "a number",
            NodeKind::Text(_) => "text",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a map",
        }
    }

    /// The value without its places.
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
