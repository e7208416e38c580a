//! Where in a value serde has found what did not fit.
//!
//! serde keeps the values of flattened structs and of tagged enums aside, and does not tell where
//! among them it failed. The schema knows: of the places that do not fit it, the right one holds
//! what the message says was found.

use prompty_core::schema::{Combination, Decimal, Form, Keywords, Kinds, Schema, Step};
use prompty_core::value::{Map, Value, internal};

/// Schemas that are compared with a value before the place counts as unknown: types that hold
/// themselves have more of them than there is time for.
const MOST_SCHEMAS: usize = 10_000;

/// Schemas that are looked into inside of each other, each with some room on the stack.
const DEEPEST: usize = 300;

/// A value that does not fit its schema.
#[derive(Debug)]
pub(super) struct Misfit<'s> {
    /// The way to it.
    pub(super) steps: Vec<internal::Step>,
    /// The schema that it does not fit.
    pub(super) schema: Schema<'s>,
    /// What it is.
    found: String,
}

/// The misfit inside of a value which a message is about.
pub(super) fn find<'s>(schemas: &[Schema<'s>], value: &Value, message: &str) -> Option<Misfit<'s>> {
    let [schema] = schemas else { return None };
    let (_, told) = message.rsplit_once(", found ")?;
    let mut search = Search {
        path: Vec::new(),
        found: Vec::new(),
        schemas_left: MOST_SCHEMAS,
        levels_left: DEEPEST,
    };
    search.compare(*schema, value)?;
    // The place of the value itself is what serde told.
    search.found.into_iter().find(|it| !it.steps.is_empty() && it.found == told)
}

/// The search for misfits.
struct Search<'s> {
    path: Vec<internal::Step>,
    found: Vec<Misfit<'s>>,
    schemas_left: usize,
    levels_left: usize,
}

impl<'s> Search<'s> {
    /// Compares a value with a schema. Nothing where that takes too long or leads too deep.
    fn compare(&mut self, schema: Schema<'s>, value: &Value) -> Option<()> {
        self.schemas_left = self.schemas_left.checked_sub(1)?;
        self.levels_left = self.levels_left.checked_sub(1)?;
        let schema = schema.resolved();
        match schema.form() {
            Form::Keywords(keywords) => self.compare_keywords(schema, keywords, value)?,
            Form::Nothing => self.add(schema, value),
            Form::Everything | Form::Malformed(_) => {}
        }
        self.levels_left += 1;
        Some(())
    }

    fn compare_keywords(
        &mut self,
        schema: Schema<'s>,
        keywords: Keywords<'s>,
        value: &Value,
    ) -> Option<()> {
        if !admits(keywords, value) {
            self.add(schema, value);
            return Some(());
        }
        if !has_required_names(keywords, value) {
            self.add(schema, value);
        }
        match value {
            Value::Object(map) => self.compare_properties(schema, keywords, map)?,
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(inside) = schema.child(Step::Index(index)) {
                        self.step(internal::Step::Index(index), inside, item)?;
                    }
                }
            }
            _ => {}
        }
        if let Some(target) = schema.own_target() {
            self.compare(target, value)?;
        }
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            match combination {
                Combination::AllOf => {
                    for part in parts {
                        self.compare(schema.part(part), value)?;
                    }
                }
                _ if parts.is_empty() => {}
                _ => self.compare_alternatives(schema, parts, value)?,
            }
        }
        Some(())
    }

    fn compare_properties(
        &mut self,
        schema: Schema<'s>,
        keywords: Keywords<'s>,
        map: &Map,
    ) -> Option<()> {
        for (name, value) in map.iter() {
            // An optional property may be `null`, which the schema does not say.
            if value.is_null() && !keywords.requires(name) {
                continue;
            }
            if let Some(inside) = schema.child(Step::Name(name)) {
                self.step(internal::Step::Name(name.to_owned()), inside, value)?;
            }
        }
        Some(())
    }

    fn step(&mut self, step: internal::Step, schema: Schema<'s>, value: &Value) -> Option<()> {
        self.path.push(step);
        self.compare(schema, value)?;
        self.path.pop();
        Some(())
    }

    /// Of several schemas one must fit. Where none does, the one is meant whose tag the value has.
    fn compare_alternatives(
        &mut self,
        schema: Schema<'s>,
        parts: &'s [Value],
        value: &Value,
    ) -> Option<()> {
        let before = self.found.len();
        let mut meant = Vec::new();
        for part in parts {
            let part = schema.part(part);
            self.compare(part, value)?;
            let misfits = self.found.split_off(before);
            if misfits.is_empty() {
                return Some(());
            }
            if has_tag(part.resolved(), value) {
                meant.push(misfits);
            }
        }
        match (meant.pop(), meant.is_empty()) {
            (Some(misfits), true) => self.found.extend(misfits),
            _ => self.add(schema, value),
        }
        Some(())
    }

    fn add(&mut self, schema: Schema<'s>, value: &Value) {
        self.found.push(Misfit { steps: self.path.clone(), schema, found: value.found() });
    }
}

/// Whether a value fits the keywords, whatever it holds.
fn admits(keywords: Keywords<'_>, value: &Value) -> bool {
    // Unlike JSON Schema, Rust's integers take no number with a decimal point.
    let kind = match value {
        Value::Float(_) => Kinds::NUMBER,
        other => Kinds::from_value(other),
    };
    let kinds = keywords.kinds().ok().flatten().unwrap_or(Kinds::ANY);
    let is_in_bounds = || match (keywords.bounds(), Decimal::from_value(value)) {
        (Ok(bounds), Some(number)) => bounds.contains(&number),
        _ => true,
    };
    kinds.contains(kind)
        && is_in_bounds()
        && keywords.constant().is_none_or(|only| only == value)
        && keywords.values().ok().flatten().is_none_or(|values| values.contains(value))
}

/// Whether an object has the names that it must have.
fn has_required_names(keywords: Keywords<'_>, value: &Value) -> bool {
    let names = keywords.required().unwrap_or_default();
    value.as_object().is_none_or(|map| names.iter().all(|name| map.contains_key(name)))
}

/// Whether a value has the constants by which one of several schemas is known.
fn has_tag(schema: Schema<'_>, value: &Value) -> bool {
    let properties = schema.keywords().and_then(Keywords::properties);
    let mut tags = properties.into_iter().flat_map(Map::iter).filter_map(|(name, part)| {
        let constant = schema.part(part).keywords()?.constant()?;
        Some(value.get(name) == Some(constant))
    });
    tags.next().is_some_and(|is_there| is_there && tags.all(|is_there| is_there))
}
