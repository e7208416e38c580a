//! Finds the exact place of a value that serde could not read.
//!
//! serde buffers the values of flattened structs and of tagged enums, and does not report the place
//! of an error inside of them. The schema helps: of the values that do not match it, the right one
//! is described in serde's message after `found`.
//!
//! In `{"days": "two", "to": 5}`, with a flattened struct that has a number and a string, the
//! schema does not match at `days` and at `to`. The message is `expected u8, found string "two"`,
//! so the place is `days`.

use prompty_core::schema::{Combination, Decimal, Keywords, Kinds, Schema, SchemaForm, Step};
use prompty_core::value::{Map, Value, internal};

/// The maximum number of schemas that are compared with a value. With recursive types there may be
/// too many of them; the place is then unknown.
const MAX_SCHEMAS: usize = 10_000;

/// The maximum nesting of compared schemas, each of which needs space on the stack.
const MAX_DEPTH: usize = 300;

/// A value that does not match its schema.
#[derive(Debug)]
pub(super) struct SchemaMismatch<'s> {
    /// The path to it.
    pub(super) steps: Vec<internal::PathStep>,
    /// The schema that it does not match.
    pub(super) schema: Schema<'s>,
    /// Its description, as in serde's messages.
    found: String,
}

/// Finds the mismatch inside of a value that a message is about.
pub(super) fn find<'s>(
    schemas: &[Schema<'s>],
    value: &Value,
    message: &str,
) -> Option<SchemaMismatch<'s>> {
    // With several alternatives, it is unknown which of them is meant.
    let [schema] = schemas else { return None };
    let (_, described) = message.rsplit_once(", found ")?;
    let mut search = MismatchSearch {
        path: Vec::new(),
        found: Vec::new(),
        schemas_left: MAX_SCHEMAS,
        levels_left: MAX_DEPTH,
    };
    search.compare(*schema, value)?;
    // serde has already reported the place of the value itself.
    search.found.into_iter().find(|it| !it.steps.is_empty() && it.found == described)
}

/// The search for mismatches.
struct MismatchSearch<'s> {
    path: Vec<internal::PathStep>,
    found: Vec<SchemaMismatch<'s>>,
    schemas_left: usize,
    levels_left: usize,
}

impl<'s> MismatchSearch<'s> {
    /// Compares a value with a schema; `None` if that takes too long or nests too deeply.
    fn compare(&mut self, schema: Schema<'s>, value: &Value) -> Option<()> {
        self.schemas_left = self.schemas_left.checked_sub(1)?;
        self.levels_left = self.levels_left.checked_sub(1)?;
        let schema = schema.resolved();
        match schema.form() {
            SchemaForm::Keywords(keywords) => self.compare_keywords(schema, keywords, value)?,
            SchemaForm::Nothing => self.add_mismatch(schema, value),
            SchemaForm::Everything | SchemaForm::Malformed(_) => {}
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
        if !matches_without_parts(keywords, value) {
            self.add_mismatch(schema, value);
            return Some(());
        }
        if !has_required_names(keywords, value) {
            self.add_mismatch(schema, value);
        }
        match value {
            Value::Object(map) => self.compare_properties(schema, keywords, map)?,
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(inside) = schema.child(Step::Index(index)) {
                        self.compare_inner(internal::PathStep::Index(index), inside, item)?;
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
            // An optional property may be `null`, although the schema does not allow it.
            if value.is_null() && !keywords.requires(name) {
                continue;
            }
            if let Some(inside) = schema.child(Step::Name(name)) {
                self.compare_inner(internal::PathStep::Name(name.to_owned()), inside, value)?;
            }
        }
        Some(())
    }

    /// Compares a value inside of the current one.
    fn compare_inner(
        &mut self,
        step: internal::PathStep,
        schema: Schema<'s>,
        value: &Value,
    ) -> Option<()> {
        self.path.push(step);
        self.compare(schema, value)?;
        self.path.pop();
        Some(())
    }

    /// Compares a value with alternatives, one of which must match. If none does, the alternative
    /// is intended whose tag the value has.
    fn compare_alternatives(
        &mut self,
        schema: Schema<'s>,
        parts: &'s [Value],
        value: &Value,
    ) -> Option<()> {
        let before = self.found.len();
        let mut tagged = Vec::new();
        for part in parts {
            let part = schema.part(part);
            self.compare(part, value)?;
            let mismatches = self.found.split_off(before);
            if mismatches.is_empty() {
                return Some(());
            }
            if has_tag(part.resolved(), value) {
                tagged.push(mismatches);
            }
        }
        match (tagged.pop(), tagged.is_empty()) {
            // Exactly one alternative has the tag.
            (Some(mismatches), true) => self.found.extend(mismatches),
            _ => self.add_mismatch(schema, value),
        }
        Some(())
    }

    fn add_mismatch(&mut self, schema: Schema<'s>, value: &Value) {
        self.found.push(SchemaMismatch { steps: self.path.clone(), schema, found: value.found() });
    }
}

/// Whether a value matches the keywords, without its parts.
fn matches_without_parts(keywords: Keywords<'_>, value: &Value) -> bool {
    // Unlike JSON Schema, Rust's integers do not accept numbers with a decimal point.
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

/// Whether an object has all required names.
fn has_required_names(keywords: Keywords<'_>, value: &Value) -> bool {
    let names = keywords.required().unwrap_or_default();
    value.as_object().is_none_or(|map| names.iter().all(|name| map.contains_key(name)))
}

/// Whether a value has the constants that identify one of several schemas, such as `"kind": "a"`.
fn has_tag(schema: Schema<'_>, value: &Value) -> bool {
    let properties = schema.keywords().and_then(Keywords::properties);
    let mut tags = properties.into_iter().flat_map(Map::iter).filter_map(|(name, part)| {
        let constant = schema.part(part).keywords()?.constant()?;
        Some(value.get(name) == Some(constant))
    });
    tags.next().is_some_and(|is_equal| is_equal && tags.all(|is_equal| is_equal))
}
