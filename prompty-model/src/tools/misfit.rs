//! Where in a value serde has found what did not fit.
//!
//! serde keeps the values of flattened structs and of tagged enums aside, and does not tell where
//! among them it failed. The schema knows: of the places that do not fit it, the right one holds
//! what the message says was found.

use super::part::{item, property, required, resolve};
use prompty_core::value::internal::Step;
use prompty_core::value::{Map, Value};

/// Schemas that are held to a value before the place counts as unknown: types that hold themselves
/// have more of them than there is time for.
const MOST_STEPS: usize = 10_000;

/// Schemas that are looked into inside of each other, each with some room on the stack.
const DEEPEST: usize = 300;

/// A value that does not fit its schema.
#[derive(Debug)]
pub(super) struct Misfit<'s> {
    /// The way to it.
    pub(super) steps: Vec<Step>,
    /// The schema that it does not fit.
    pub(super) part: &'s Value,
    /// What it is.
    found: String,
}

/// The misfit inside of a value which a message is about.
pub(super) fn find<'s>(
    root: &'s Value,
    parts: &[&'s Value],
    value: &Value,
    message: &str,
) -> Option<Misfit<'s>> {
    let [part] = parts else { return None };
    let (_, told) = message.rsplit_once(", found ")?;
    let mut search = Search {
        root,
        path: Vec::new(),
        found: Vec::new(),
        steps_left: MOST_STEPS,
        levels_left: DEEPEST,
    };
    search.hold(part, value)?;
    // Here is where serde says it is, anyway.
    search.found.into_iter().find(|it| !it.steps.is_empty() && it.found == told)
}

struct Search<'s> {
    root: &'s Value,
    path: Vec<Step>,
    found: Vec<Misfit<'s>>,
    steps_left: usize,
    levels_left: usize,
}

impl<'s> Search<'s> {
    /// Holds a value to a schema; nothing where that takes too long or leads too deep.
    fn hold(&mut self, part: &'s Value, value: &Value) -> Option<()> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        self.levels_left = self.levels_left.checked_sub(1)?;
        self.hold_parts(part, value)?;
        self.levels_left += 1;
        Some(())
    }

    fn hold_parts(&mut self, part: &'s Value, value: &Value) -> Option<()> {
        let part = resolve(self.root, part);
        if !admits(part, value) {
            self.refuse(part, value);
            return Some(());
        }
        if !has_names(part, value) {
            self.refuse(part, value);
        }
        match value {
            Value::Object(map) => self.hold_entries(part, map)?,
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    if let Some(part) = item(part, index) {
                        self.step(Step::Index(index), part, value)?;
                    }
                }
            }
            _ => {}
        }
        for part in part.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.hold(part, value)?;
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(parts) = part.get(key).and_then(Value::as_array) {
                self.hold_to_one(part, parts, value)?;
            }
        }
        Some(())
    }

    fn hold_entries(&mut self, part: &'s Value, map: &Map) -> Option<()> {
        for (name, value) in map.iter() {
            // What need not be given may be `null`, which the schema does not say.
            if value.is_null() && !requires(part, name) {
                continue;
            }
            if let Some(part) = property(part, name) {
                self.step(Step::Name(name.to_owned()), part, value)?;
            }
        }
        Some(())
    }

    fn step(&mut self, step: Step, part: &'s Value, value: &Value) -> Option<()> {
        self.path.push(step);
        self.hold(part, value)?;
        self.path.pop();
        Some(())
    }

    /// Of several schemas one must fit. Where none does, the one is meant whose tag the value has.
    fn hold_to_one(&mut self, part: &'s Value, parts: &'s [Value], value: &Value) -> Option<()> {
        let before = self.found.len();
        let mut meant = Vec::new();
        for part in parts {
            self.hold(part, value)?;
            let misfits = self.found.split_off(before);
            if misfits.is_empty() {
                return Some(());
            }
            if has_tag(resolve(self.root, part), value) {
                meant.push(misfits);
            }
        }
        match (meant.pop(), meant.is_empty()) {
            (Some(misfits), true) => self.found.extend(misfits),
            _ => self.refuse(part, value),
        }
        Some(())
    }

    fn refuse(&mut self, part: &'s Value, value: &Value) {
        self.found.push(Misfit { steps: self.path.clone(), part, found: value.found() });
    }
}

/// Whether a value is of a schema's kind, whatever it holds.
fn admits(part: &Value, value: &Value) -> bool {
    let is_of = |name: &str| match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Integer(_) => matches!(name, "integer" | "number"),
        Value::Float(_) => name == "number",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    };
    let is_of_kind = match part.get("type") {
        Some(Value::String(name)) => is_of(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    };
    let is_in_range = value.as_f64().is_none_or(|number| {
        let bound = |key| part.get(key).and_then(Value::as_f64);
        bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
    });
    is_of_kind
        && is_in_range
        && part.get("const").is_none_or(|only| only == value)
        && part.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value))
}

/// Whether an object has the names that it must have.
fn has_names(part: &Value, value: &Value) -> bool {
    value.as_object().is_none_or(|map| required(part).all(|name| map.contains_key(name)))
}

fn requires(part: &Value, name: &str) -> bool {
    required(part).any(|it| it == name)
}

/// Whether a value has the constants by which one of several schemas is known.
fn has_tag(part: &Value, value: &Value) -> bool {
    let properties = part.get("properties").and_then(Value::as_object);
    let mut tags = properties.into_iter().flat_map(Map::iter).filter_map(|(name, part)| {
        part.get("const").map(|constant| value.get(name) == Some(constant))
    });
    tags.next().is_some_and(|is_there| is_there && tags.all(|is_there| is_there))
}
