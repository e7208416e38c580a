//! The parts of a JSON schema.

use prompty_core::value::Value;
use prompty_core::value::internal::Step;

/// References that are followed before a schema counts as saying nothing.
const DEEPEST: usize = 16;

/// Schemas that are looked into: alternatives that refer to each other would be more than there is
/// time for.
const MOST_PARTS: usize = 1000;

/// The keywords that hold several schemas for one value.
pub(super) const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// The schemas that what a value holds may have, each once.
pub(super) fn inside<'s>(root: &'s Value, parts: &[&'s Value], step: &Step) -> Vec<&'s Value> {
    let (mut found, mut left) = (Vec::new(), MOST_PARTS);
    for part in parts {
        look_inside(root, part, step, &mut left, &mut found);
    }
    found
}

fn look_inside<'s>(
    root: &'s Value,
    part: &'s Value,
    step: &Step,
    left: &mut usize,
    found: &mut Vec<&'s Value>,
) {
    let Some(fewer) = left.checked_sub(1) else { return };
    *left = fewer;
    let part = resolve(root, part);
    let here = match step {
        Step::Name(name) => property(part, name),
        Step::Index(index) => item(part, *index),
    };
    if let Some(here) = here {
        if !found.contains(&here) {
            found.push(here);
        }
        return;
    }
    for part in alternatives(part) {
        look_inside(root, part, step, left, found);
    }
}

/// The schema of an object's property.
pub(super) fn property<'s>(part: &'s Value, name: &str) -> Option<&'s Value> {
    let named = part.get("properties").and_then(|properties| properties.get(name));
    named.or_else(|| part.get("additionalProperties").filter(|it| it.as_object().is_some()))
}

/// The names that an object must have.
pub(super) fn required(part: &Value) -> impl Iterator<Item = &str> {
    let names = part.get("required").and_then(Value::as_array).unwrap_or_default();
    names.iter().filter_map(Value::as_str)
}

/// The schema of a list's item.
pub(super) fn item(part: &Value, index: usize) -> Option<&Value> {
    let placed = part.get("prefixItems").and_then(|items| items.as_array()?.get(index));
    placed.or_else(|| part.get("items"))
}

/// The schemas of which a value has one, or all.
pub(super) fn alternatives(part: &Value) -> impl Iterator<Item = &Value> {
    let lists = ALTERNATIVES.into_iter().filter_map(|key| part.get(key));
    lists.filter_map(Value::as_array).flatten()
}

/// What a schema is, behind its references.
pub(super) fn resolve<'s>(root: &'s Value, part: &'s Value) -> &'s Value {
    let mut part = part;
    for _ in 0..DEEPEST {
        let path = part.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        match path.and_then(|path| path.split('/').skip(1).try_fold(root, Value::get)) {
            Some(found) => part = found,
            None => return part,
        }
    }
    part
}
