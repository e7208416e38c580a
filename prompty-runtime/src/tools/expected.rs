//! What a tool's schema has at the place where arguments did not fit.

use crate::value::{Failure, Map, Step, Value};

/// References that are followed before a schema counts as saying nothing.
const DEEPEST: usize = 16;

/// A longer schema is no help.
const LONGEST: usize = 600;

/// What would have fitted.
pub(super) fn help(root: &Map, failure: &Failure) -> Option<String> {
    let whole = Value::Object(root.clone());
    let mut part = &whole;
    for step in failure.steps() {
        part = inside(&whole, part, step, DEEPEST)?;
    }
    let place = match failure.place() {
        place if place.is_empty() => "the tool".to_owned(),
        place => format!("`{place}`"),
    };
    let part = resolve(&whole, part, DEEPEST);
    if let Some(names) = names(part) {
        return Some(format!("{place} takes {names}"));
    }
    let schema = serde_json::to_string(&part).ok().filter(|schema| schema.len() <= LONGEST)?;
    Some(format!("{place} takes {schema}"))
}

/// The names that an object has, those first that must be given.
fn names(part: &Value) -> Option<String> {
    let properties = part.get("properties")?.as_object()?;
    let required = part.get("required").and_then(Value::as_array).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|it| it.as_str() == Some(name));
    let (must, may): (Vec<&str>, Vec<&str>) =
        properties.keys().partition(|name: &&str| is_required(name));
    let list = |names: &[&str]| format!("`{}`", names.join("`, `"));
    Some(match (must.as_slice(), may.as_slice()) {
        ([], []) => "no arguments".to_owned(),
        (must, []) => list(must),
        ([], may) => format!("{}, all optional", list(may)),
        (must, may) => format!("{}, and optionally {}", list(must), list(may)),
    })
}

/// The schema of what a value holds.
fn inside<'s>(root: &'s Value, part: &'s Value, step: &Step, depth: usize) -> Option<&'s Value> {
    let depth = depth.checked_sub(1)?;
    let part = resolve(root, part, depth);
    let found = match step {
        Step::Name(name) => part
            .get("properties")
            .and_then(|properties| properties.get(name))
            .or_else(|| part.get("additionalProperties").filter(|it| it.as_object().is_some())),
        Step::Index(index) => part
            .get("prefixItems")
            .and_then(|items| items.as_array()?.get(*index))
            .or_else(|| part.get("items")),
    };
    found.or_else(|| {
        let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| part.get(key));
        lists.filter_map(Value::as_array).flatten().find_map(|part| inside(root, part, step, depth))
    })
}

/// What a schema is, behind its references.
fn resolve<'s>(root: &'s Value, part: &'s Value, depth: usize) -> &'s Value {
    let Some(depth) = depth.checked_sub(1) else { return part };
    let Some(path) = part.get("$ref").and_then(Value::as_str) else { return part };
    let Some(path) = path.strip_prefix('#') else { return part };
    let found = path.split('/').skip(1).try_fold(root, Value::get);
    found.map_or(part, |found| resolve(root, found, depth))
}
