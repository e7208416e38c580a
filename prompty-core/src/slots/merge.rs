//! How the values of a slot come together: those of a child with its parent's, and new ones with those
//! that are there.

use std::collections::HashSet;

use crate::value::{Map, Value};

/// A child's value with its parent's. Maps are joined entry by entry, a list has the parent's items
/// behind its own, and anything else is the child's alone; `null` hides what the parent has.
pub(super) fn inherit(child: &Value, parent: &Value) -> Value {
    match (child, parent) {
        (Value::Object(child), Value::Object(parent)) => {
            join(parent, child, |inherited, value| inherit(value, inherited))
        }
        (Value::Array(child), parent) => with_unseen(child, items(parent)),
        (child, _) => child.clone(),
    }
}

/// A value with a new one. Maps are joined entry by entry, a list gets the new items behind its own,
/// and anything else is replaced.
pub(super) fn update(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => join(old, new, update),
        (Value::Array(old), Value::Array(new)) => with_unseen(old, new),
        (_, new) => new.clone(),
    }
}

/// The entries of both maps. A name that both have gets what `both` makes of the old and the new value.
fn join(old: &Map, new: &Map, both: impl Fn(&Value, &Value) -> Value) -> Value {
    let mut joined = old.clone();
    for (name, value) in new.iter() {
        let value = old.get(name).map_or_else(|| value.clone(), |before| both(before, value));
        joined.insert(name, value);
    }
    joined.into()
}

/// The items of a list; another value is the only item, and `null` is none.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    }
}

/// A list with those of `more` behind it that it does not have.
fn with_unseen(first: &[Value], more: &[Value]) -> Value {
    let mut seen: HashSet<String> = first.iter().map(identity).collect();
    let unseen = more.iter().filter(|item| seen.insert(identity(item))).cloned();
    let items: Vec<Value> = first.iter().cloned().chain(unseen).collect();
    Value::from(items)
}

/// A text that equal values share: their JSON, with the entries of maps in one order. It lets a list
/// be compared with another one in a time that grows with their sizes alone.
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
