//! Converts inputs, outputs and parameters of tools of the first version: `{type: str, sample: a}`
//! becomes `{kind: string, example: a, required: true}`.

use super::entries::{
    Entries, OldKey, add, add_renamed, convert_each, derived_entry, derived_text, map_node,
    renamed_keys,
};
use crate::definition::ValueType;
use crate::definition::build::{INPUT_KEYS, other_kind_name};
use crate::definition::node::{Mapping, Node, NodeKind};

/// The keys of an input that only the first version has, with their new names.
const RENAMED: [(&str, &str); 4] =
    [("type", "kind"), ("sample", "example"), ("enum", "enumValues"), ("is_required", "required")];

/// Further keys that declare an input if it has a `type`. Some come from JSON Schema.
const FURTHER_KEYS: [&str; 7] = [
    "optional",
    "json_schema",
    "is_chat_input",
    "is_chat_history",
    "title",
    "additionalProperties",
    "examples",
];

/// The owner of converted properties. In the first version, inputs are required unless they say
/// otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Input,
    Other,
}

/// The keys of the first version in a list or a map of properties.
pub(super) fn old_keys(node: &Node) -> Vec<OldKey> {
    let declared: Vec<&Mapping> = match &node.kind {
        NodeKind::Map(named) => {
            let values = named.iter().filter_map(|(_, entry)| entry.value.as_map());
            values.filter(|mapping| is_declaration(mapping, false)).collect()
        }
        NodeKind::List(items) => {
            let items = items.iter().filter_map(Node::as_map);
            items.filter(|item| item.entries.contains_key("name")).collect()
        }
        _ => Vec::new(),
    };
    declared.into_iter().flat_map(|mapping| renamed_keys(mapping, &RENAMED)).collect()
}

/// Converts the inputs of a prompt. `is_certain`: the file is certainly of the first version.
pub(super) fn inputs(node: &Node, is_certain: bool) -> Node {
    convert(node, is_certain, Owner::Input)
}

/// Converts outputs, parameters or fields.
pub(super) fn properties(node: &Node, is_certain: bool) -> Node {
    convert(node, is_certain, Owner::Other)
}

/// Converts a map or a list of properties. Other values, such as defaults, are kept. An item of a
/// list is always a declaration, but a map under a name may be a default ([`is_declaration`]).
fn convert(node: &Node, is_certain: bool, owner: Owner) -> Node {
    let converted = |node: &Node, is_old: &dyn Fn(&Mapping) -> bool| {
        let mapping = node.as_map().filter(|mapping| is_old(mapping));
        mapping.map_or_else(|| node.clone(), |mapping| map_node(input(mapping, owner), node))
    };
    let of_map = |value: &Node| converted(value, &|mapping| is_declaration(mapping, is_certain));
    convert_each(node, of_map, |item| converted(item, &needs_conversion))
}

/// Whether a map under a name declares an input of the first version, and is not a default such as
/// `{type: circle, radius: 2}`. In a file that is certainly of the first version, every map with a
/// `type` is a declaration.
fn is_declaration(mapping: &Mapping, is_certain: bool) -> bool {
    if !needs_conversion(mapping) {
        return false;
    }
    let type_name = mapping.get("type").and_then(Node::as_text);
    if is_certain && type_name.is_some() {
        return true;
    }
    let is_known_key = |key: &str| {
        INPUT_KEYS.contains(&key)
            || FURTHER_KEYS.contains(&key)
            || RENAMED.iter().any(|(old, _)| *old == key)
    };
    let has_no_other_type = match type_name {
        Some(name) => kind_name(name).is_some(),
        None => !mapping.entries.contains_key("type"),
    };
    has_no_other_type && mapping.entries.keys().all(|key| is_known_key(key))
}

/// Whether a map has a key of the first version.
fn needs_conversion(mapping: &Mapping) -> bool {
    renamed_keys(mapping, &RENAMED).next().is_some()
}

/// Converts one input or property.
fn input(mapping: &Mapping, owner: Owner) -> Mapping {
    let mut entries = Entries::with_capacity(mapping.entries.len() + 1);
    for (key, entry) in &mapping.entries {
        let value = &entry.value;
        match &**key {
            "type" => {
                let name = value.as_text().and_then(kind_name);
                let kind = name.map_or_else(|| value.clone(), |name| derived_text(&name, value));
                add_renamed(&mut entries, mapping, "type", "kind", entry.with(kind));
            }
            "items" => {
                let items = value.as_map().filter(|items| needs_conversion(items));
                let items = items.map(|items| map_node(input(items, Owner::Other), value));
                add(&mut entries, key, entry.with(items.unwrap_or_else(|| value.clone())));
            }
            // Every field of a converted input is a declaration as well.
            "properties" => add(&mut entries, key, entry.with(properties(value, true))),
            "optional" => {
                let NodeKind::Bool(is_optional) = value.kind else {
                    add(&mut entries, key, entry.clone());
                    continue;
                };
                let required = derived_entry(entry, NodeKind::Bool(!is_optional));
                add_renamed(&mut entries, mapping, "optional", "required", required);
            }
            key => match RENAMED.iter().find(|(old, _)| *old == key) {
                Some((old, new)) => add_renamed(&mut entries, mapping, old, new, entry.clone()),
                None => add(&mut entries, key, entry.clone()),
            },
        }
    }
    if owner == Owner::Input {
        add_required(&mut entries);
    }
    mapping.with_entries(entries)
}

/// Marks an input as required. In the first version every input without a default was required.
pub(super) fn add_required(input: &mut Entries) {
    let has_default = input.get("default").is_some_and(|default| !default.value.is_null());
    if has_default || input.contains_key("required") {
        return;
    }
    if let Some((_, first)) = input.get_index(0) {
        let required = derived_entry(first, NodeKind::Bool(true));
        input.insert("required".into(), required);
    }
}

/// The kind of the format for a type of the first version, JSON Schema or Python.
fn kind_name(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let is_kind = ValueType::names().contains(&lower.as_str());
    if is_kind { Some(lower) } else { other_kind_name(name) }
}
