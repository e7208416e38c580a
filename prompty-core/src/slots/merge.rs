//! Merges values of a slot: a child's with its parent's, and new values with existing ones.

use std::collections::HashSet;

use crate::value::{Map, Value};

/// Merges a child's value with its parent's. Objects are merged by key. If the child's value is a
/// list, the parent's items that it does not have are appended. Any other value replaces the
/// parent's; `null` hides it.
pub(super) fn inherit(child: &Value, parent: &Value) -> Value {
    match (child, parent) {
        (Value::Object(child), Value::Object(parent)) => {
            join(parent, child, |inherited, value| inherit(value, inherited))
        }
        (Value::Array(child), parent) => with_unseen(child, items(parent)),
        (child, _) => child.clone(),
    }
}

/// Merges a value with a new one. Objects are merged by key. To a list, the items of a new list are
/// appended that it does not have. Any other value is replaced.
pub(super) fn update(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => join(old, new, update),
        (Value::Array(old), Value::Array(new)) => with_unseen(old, new),
        (_, new) => new.clone(),
    }
}

/// The entries of both maps. If both have a key, `both` merges the old and the new value.
fn join(old: &Map, new: &Map, both: impl Fn(&Value, &Value) -> Value) -> Value {
    let mut joined = old.clone();
    for (name, value) in new.iter() {
        let value = old.get(name).map_or_else(|| value.clone(), |before| both(before, value));
        joined.insert(name, value);
    }
    joined.into()
}

/// The items of a list. `null` has no items, and any other value is the only item.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    }
}

/// The items of `first`, followed by those of `more` that are not in it.
fn with_unseen(first: &[Value], more: &[Value]) -> Value {
    let mut seen: HashSet<String> = first.iter().map(identity).collect();
    let unseen = more.iter().filter(|item| seen.insert(identity(item))).cloned();
    first.iter().cloned().chain(unseen).collect()
}

/// A text that only equal values share: their JSON, with sorted keys. It makes the comparison of
/// two lists linear in their sizes.
fn identity(value: &Value) -> String {
    sorted(value).to_json()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut entries: Vec<(&str, &Value)> = map.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            let entries = entries.into_iter().map(|(name, value)| (name, sorted(value)));
            entries.collect::<Map>().into()
        }
        other => other.clone(),
    }
}
