//! `sample` of the first version: values that show what the inputs are, and that declare those which
//! nothing else declares.

use std::sync::Arc;

use super::entries::{Entries, derived, map_node, start_of, text_of};
use super::properties::add_required;
use crate::definition::build::is_input;
use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use crate::definition::reference::Reference;
use prompty_core::ordered_map::OrderedMap;

/// The depth to which a sample is looked into.
const MAX_DEPTH: usize = 12;

/// Declares the inputs of a sample in a front matter.
pub(super) fn declare(front_matter: &mut Entries, sample: &Entry) {
    let Some(values) = sample.value.as_map() else { return };
    let none = || {
        let value = map_node(values.with_entries(Entries::new()), &sample.value);
        Entry { key: sample.key, value }
    };
    let inputs = front_matter.get_or_insert_with("inputs".into(), none);
    inputs.value = with_sample(&inputs.value, values);
}

/// The inputs with their samples.
fn with_sample(inputs: &Node, sample: &Mapping) -> Node {
    match &inputs.kind {
        // Names that came from the host can be told apart in a list only.
        NodeKind::Map(named) if sample.name_parts().any() && !named.name_parts().any() => {
            list_with_sample(&as_list(named), inputs, sample)
        }
        NodeKind::Map(named) => map_with_sample(named, inputs, sample),
        NodeKind::List(items) => list_with_sample(items, inputs, sample),
        NodeKind::Null => map_with_sample(&sample.with_entries(Entries::new()), inputs, sample),
        _ => inputs.clone(),
    }
}

fn map_with_sample(named: &Mapping, inputs: &Node, sample: &Mapping) -> Node {
    let mut entries = named.entries.clone();
    for (name, value) in &sample.entries {
        let (key, value) = match entries.get(name) {
            Some(declared) => (declared.key, with_example(&declared.value, value)),
            None => (value.key, declaration(value, None)),
        };
        entries.insert(Arc::clone(name), Entry { key, value });
    }
    map_node(named.with_entries(entries), inputs)
}

fn list_with_sample(items: &[Node], inputs: &Node, sample: &Mapping) -> Node {
    let name_of = |item: &Node| item.get("name").and_then(Node::as_text).map(Arc::<str>::from);
    let mut found: Vec<Node> = Vec::with_capacity(items.len());
    let mut declared = std::collections::HashSet::new();
    for item in items {
        let value = name_of(item).and_then(|name| {
            let value = sample.entries.get(&name);
            declared.insert(name);
            value
        });
        found.push(value.map_or_else(|| item.clone(), |value| with_example(item, value)));
    }
    for (name, value) in sample.entries.iter().filter(|(name, _)| !declared.contains(*name)) {
        found.push(declaration(value, Some(name)));
    }
    Node { kind: NodeKind::List(Arc::new(found)), ..inputs.clone() }
}

/// The same properties with their names in them.
fn as_list(named: &Mapping) -> Vec<Node> {
    let items = named.entries.iter().map(|(name, entry)| {
        let mut input = match &entry.value.kind {
            NodeKind::Map(mapping) if is_input(mapping) => mapping.entries.clone(),
            NodeKind::Null => Entries::new(),
            _ => bare(&entry.value),
        };
        let key = Node::new(NodeKind::Text(Arc::clone(name)), entry.key);
        input.insert_first("name".into(), Entry { key: start_of(entry.key), value: key });
        map_node(Mapping::written(input), &entry.value)
    });
    items.collect()
}

/// A declared input with its sample as the example. A bare value is a default and stays one.
fn with_example(declared: &Node, sample: &Entry) -> Node {
    let mapping = match &declared.kind {
        NodeKind::Map(mapping) if is_input(mapping) => {
            let mut entries = mapping.entries.clone();
            entries.get_or_insert_with("example".into(), || sample.clone());
            mapping.with_entries(entries)
        }
        NodeKind::Null => return declaration(sample, None),
        _ => {
            let mut entries = bare(declared);
            entries.insert("example".into(), sample.clone());
            Mapping::written(entries)
        }
    };
    map_node(mapping, declared)
}

/// The input that a bare default represents.
fn bare(default: &Node) -> Entries {
    let entry = |value: Node| Entry { key: start_of(default.span), value };
    let kind = bare_kind(&default.kind).map(|name| text_of(name, default));
    let mut input = Entries::new();
    input.extend(kind.map(|kind| ("kind".into(), entry(kind))));
    input.insert("default".into(), entry(default.clone()));
    input
}

/// The kind that a bare default gives to its input.
fn bare_kind(default: &NodeKind) -> Option<&'static str> {
    match default {
        NodeKind::Bool(_) => Some("boolean"),
        NodeKind::Integer(_) => Some("integer"),
        NodeKind::Float(_) => Some("float"),
        NodeKind::Text(text) => match Reference::parse(text) {
            Some(Reference::File { .. }) => None,
            _ => Some("string"),
        },
        NodeKind::List(_) => Some("array"),
        NodeKind::Map(_) => Some("object"),
        NodeKind::Null => None,
    }
}

/// The declaration of an input of which there is only a sample.
fn declaration(sample: &Entry, name: Option<&Arc<str>>) -> Node {
    let mut input = Type::of(&sample.value, 0).declared(&sample.value);
    if let Some(name) = name {
        let name = derived(sample, NodeKind::Text(Arc::clone(name)));
        input.insert_first("name".into(), name);
    }
    input.insert("example".into(), sample.clone());
    // A sample that is nothing shows that there may be no value.
    if !sample.value.is_null() {
        add_required(&mut input);
    }
    map_node(Mapping::written(input), &sample.value)
}

/// What a value shows of its type.
enum Type {
    /// Nothing: it is `null`, or the values differ.
    Unknown,
    Scalar(&'static str),
    List(Box<Type>),
    Object(Fields),
}

/// The fields of an object by name.
type Fields = OrderedMap<Arc<str>, Field>;

/// A field of objects.
struct Field {
    of: Type,
    /// Whether all objects have it, with a value.
    is_always_there: bool,
}

impl Type {
    fn of(node: &Node, depth: usize) -> Self {
        if depth > MAX_DEPTH {
            return Self::Unknown;
        }
        match &node.kind {
            NodeKind::List(items) => {
                let mut types = items.iter().map(|item| Self::of(item, depth + 1));
                let first = types.next().unwrap_or(Self::Unknown);
                Self::List(Box::new(types.fold(first, Self::or)))
            }
            NodeKind::Map(mapping) => Self::Object(
                mapping
                    .entries
                    .iter()
                    .map(|(name, entry)| {
                        let is_always_there = !entry.value.is_null();
                        let of = Self::of(&entry.value, depth + 1);
                        (Arc::clone(name), Field { of, is_always_there })
                    })
                    .collect(),
            ),
            scalar => bare_kind(scalar).map_or(Self::Unknown, Self::Scalar),
        }
    }

    /// The type of values of which some have one type and some the other.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) if one == other => Self::Scalar(one),
            (Self::Scalar("integer"), Self::Scalar("float"))
            | (Self::Scalar("float"), Self::Scalar("integer")) => Self::Scalar("float"),
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.or(*other))),
            (Self::Object(one), Self::Object(other)) => Self::Object(union(one, other)),
            _ => Self::Unknown,
        }
    }

    /// The entries of an input of this type. They follow from `sample`.
    fn declared(self, sample: &Node) -> Entries {
        let entry = |value: Node| Entry { key: start_of(sample.span), value };
        let kind = |name: &str| ("kind".into(), entry(text_of(name, sample)));
        match self {
            Self::Unknown => Entries::new(),
            Self::Scalar(name) => Entries::from([kind(name)]),
            Self::List(item) => {
                let mut input = Entries::from([kind("array")]);
                let item = item.declared(sample);
                if !item.is_empty() {
                    let items = map_node(Mapping::written(item), sample);
                    input.insert("items".into(), entry(items));
                }
                input
            }
            Self::Object(fields) => {
                let mut input = Entries::from([kind("object")]);
                let fields = fields.into_iter().map(|(name, field)| {
                    let mut declared = field.of.declared(sample);
                    let required =
                        Node { kind: NodeKind::Bool(field.is_always_there), ..sample.clone() };
                    declared.insert("required".into(), entry(required));
                    (name, entry(map_node(Mapping::written(declared), sample)))
                });
                let fields: Entries = fields.collect();
                if !fields.is_empty() {
                    let fields = map_node(Mapping::written(fields), sample);
                    input.insert("properties".into(), entry(fields));
                }
                input
            }
        }
    }
}

fn union(mut one: Fields, mut other: Fields) -> Fields {
    for (name, field) in one.iter_mut() {
        match other.remove(name) {
            None => field.is_always_there = false,
            Some(same) => {
                let of = std::mem::replace(&mut field.of, Type::Unknown);
                field.of = of.or(same.of);
                field.is_always_there &= same.is_always_there;
            }
        }
    }
    one.extend(
        other.into_iter().map(|(name, field)| (name, Field { is_always_there: false, ..field })),
    );
    one
}
