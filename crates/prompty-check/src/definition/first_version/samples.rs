//! Converts `sample` of the first version. Its values are examples of the inputs, and declare
//! inputs that have no other declaration:
//!
//! ```text
//! inputs:                           inputs:
//!   name: {kind: string}              name: {kind: string, example: Ada}
//! sample:                     ->      ages:
//!   name: Ada                           {kind: array, items: {kind: integer}, example: [3, 5],
//!   ages: [3, 5]                         required: true}
//! ```

use std::sync::Arc;

use super::entries::{Entries, derived_entry, derived_text, map_node, start_of};
use super::properties::add_required;
use crate::definition::build::is_input;
use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use crate::definition::reference::Reference;
use prompty_core::ordered_map::OrderedMap;

/// The maximum depth of a sample that is inspected. The types of deeper values count as unknown.
const MAX_DEPTH: usize = 12;

/// Declares the inputs of a sample in a front matter.
pub(super) fn declare(front_matter: &mut Entries, sample: &Entry) {
    let Some(values) = sample.value.as_map() else { return };
    let no_inputs = || {
        let value = map_node(values.with_entries(Entries::new()), &sample.value);
        Entry { key: sample.key, value }
    };
    let inputs = front_matter.get_or_insert_with("inputs".into(), no_inputs);
    inputs.value = inputs_with_sample(&inputs.value, values);
}

/// The inputs with their samples.
fn inputs_with_sample(inputs: &Node, sample: &Mapping) -> Node {
    match &inputs.kind {
        // The sample is from a file of the host, and the inputs are not. All keys of a map have one
        // origin, so the inputs become a list, where each name has its own.
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

/// The inputs in a list, and after them those that only the sample has.
fn list_with_sample(items: &[Node], inputs: &Node, sample: &Mapping) -> Node {
    let name_of = |item: &Node| item.get("name").and_then(Node::as_text).map(Arc::<str>::from);
    let mut result: Vec<Node> = Vec::with_capacity(items.len());
    let mut declared = std::collections::HashSet::new();
    for item in items {
        let value = name_of(item).and_then(|name| {
            let value = sample.entries.get(&name);
            declared.insert(name);
            value
        });
        result.push(value.map_or_else(|| item.clone(), |value| with_example(item, value)));
    }
    for (name, value) in sample.entries.iter().filter(|(name, _)| !declared.contains(*name)) {
        result.push(declaration(value, Some(name)));
    }
    Node { kind: NodeKind::List(Arc::new(result)), ..inputs.clone() }
}

/// The inputs of a map in the form of a list: `{city: Oslo}` becomes
/// `[{name: city, kind: string, default: Oslo}]`.
fn as_list(named: &Mapping) -> Vec<Node> {
    let items = named.entries.iter().map(|(name, entry)| {
        let mut input = match &entry.value.kind {
            NodeKind::Map(mapping) if is_input(mapping) => mapping.entries.clone(),
            NodeKind::Null => Entries::new(),
            _ => default_entries(&entry.value),
        };
        let value = Node::new(NodeKind::Text(Arc::clone(name)), entry.key);
        input.insert_first("name".into(), Entry { key: start_of(entry.key), value });
        map_node(Mapping::written(input), &entry.value)
    });
    items.collect()
}

/// A declared input with its sample as the example. A bare value is a default and is kept.
fn with_example(declared: &Node, sample: &Entry) -> Node {
    let mapping = match &declared.kind {
        NodeKind::Map(mapping) if is_input(mapping) => {
            let mut entries = mapping.entries.clone();
            entries.get_or_insert_with("example".into(), || sample.clone());
            mapping.with_entries(entries)
        }
        NodeKind::Null => return declaration(sample, None),
        _ => {
            let mut entries = default_entries(declared);
            entries.insert("example".into(), sample.clone());
            Mapping::written(entries)
        }
    };
    map_node(mapping, declared)
}

/// The entries of the input that a bare default represents.
fn default_entries(default: &Node) -> Entries {
    let entry = |value: Node| Entry { key: start_of(default.span), value };
    let kind = kind_of_default(&default.kind).map(|name| derived_text(name, default));
    let mut input = Entries::new();
    input.extend(kind.map(|kind| ("kind".into(), entry(kind))));
    input.insert("default".into(), entry(default.clone()));
    input
}

/// The kind of the input that a bare default represents.
fn kind_of_default(default: &NodeKind) -> Option<&'static str> {
    match default {
        NodeKind::Bool(_) => Some("boolean"),
        NodeKind::Integer(_) => Some("integer"),
        NodeKind::Float(_) => Some("float"),
        NodeKind::Text(text) => match Reference::parse(text) {
            // The type of a file's content is not known here.
            Some(Reference::File { .. }) => None,
            _ => Some("string"),
        },
        NodeKind::List(_) => Some("array"),
        NodeKind::Map(_) => Some("object"),
        NodeKind::Null => None,
    }
}

/// The declaration of an input that has only a sample. In a list it has a name.
fn declaration(sample: &Entry, name: Option<&Arc<str>>) -> Node {
    let mut input = SampleType::of(&sample.value, 0).entries(&sample.value);
    if let Some(name) = name {
        let name = derived_entry(sample, NodeKind::Text(Arc::clone(name)));
        input.insert_first("name".into(), name);
    }
    input.insert("example".into(), sample.clone());
    // A sample `null` shows that the value may be missing.
    if !sample.value.is_null() {
        add_required(&mut input);
    }
    map_node(Mapping::written(input), &sample.value)
}

/// The type of a sample, as far as its value shows it.
enum SampleType {
    /// Unknown: the value is `null`, or the values differ.
    Unknown,
    Scalar(&'static str),
    List(Box<SampleType>),
    Object(SampleFields),
}

/// The fields of an object by name.
type SampleFields = OrderedMap<Arc<str>, SampleField>;

/// A field of an object.
struct SampleField {
    value_type: SampleType,
    /// Whether all objects have the field, with a value.
    is_always_present: bool,
}

impl SampleType {
    /// The type that a value shows. Of the items of a list, it is their common type.
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
            NodeKind::Map(mapping) => {
                let fields = mapping.entries.iter().map(|(name, entry)| {
                    let is_always_present = !entry.value.is_null();
                    let value_type = Self::of(&entry.value, depth + 1);
                    (Arc::clone(name), SampleField { value_type, is_always_present })
                });
                Self::Object(fields.collect())
            }
            scalar => kind_of_default(scalar).map_or(Self::Unknown, Self::Scalar),
        }
    }

    /// The common type of values of two types.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) if one == other => Self::Scalar(one),
            (Self::Scalar("integer" | "float"), Self::Scalar("integer" | "float")) => {
                Self::Scalar("float")
            }
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.or(*other))),
            (Self::Object(one), Self::Object(other)) => Self::Object(union_of_fields(one, other)),
            _ => Self::Unknown,
        }
    }

    /// The entries of an input of this type. They are derived from `sample`.
    fn entries(self, sample: &Node) -> Entries {
        let entry = |value: Node| Entry { key: start_of(sample.span), value };
        let kind = |name: &str| ("kind".into(), entry(derived_text(name, sample)));
        match self {
            Self::Unknown => Entries::new(),
            Self::Scalar(name) => Entries::from([kind(name)]),
            Self::List(item) => {
                let mut input = Entries::from([kind("array")]);
                let item = item.entries(sample);
                if !item.is_empty() {
                    let items = map_node(Mapping::written(item), sample);
                    input.insert("items".into(), entry(items));
                }
                input
            }
            Self::Object(fields) => {
                let mut input = Entries::from([kind("object")]);
                let fields = fields.into_iter().map(|(name, field)| {
                    let mut declared = field.value_type.entries(sample);
                    let required =
                        Node { kind: NodeKind::Bool(field.is_always_present), ..sample.clone() };
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

/// The fields of two objects. A field that only one of them has is not always present.
fn union_of_fields(mut one: SampleFields, mut other: SampleFields) -> SampleFields {
    for (name, field) in one.iter_mut() {
        match other.remove(name) {
            None => field.is_always_present = false,
            Some(same) => {
                let value_type = std::mem::replace(&mut field.value_type, SampleType::Unknown);
                field.value_type = value_type.or(same.value_type);
                field.is_always_present &= same.is_always_present;
            }
        }
    }
    let optional = |field| SampleField { is_always_present: false, ..field };
    one.extend(other.into_iter().map(|(name, field)| (name, optional(field))));
    one
}
