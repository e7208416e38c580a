//! A limit on the work of serde for types that contain themselves in a union.
//!
//! For an enum with `#[serde(untagged)]`, serde tries the variants in turn. If two variants contain
//! the enum again, the number of tries doubles with each level of a value, and nothing in serde
//! limits it. So the work is computed from the schema before serde reads such a type.
//!
//! The enum `E` has the variants `A { x: Box<E>, a: u8 }`, `B { x: Box<E> }` and `N(u8)`. For
//! `{"x": {"x": 1}}`, serde reads the number 1 four times: twice in each of the tries `A` and `B`
//! of the outer value.
//!
//! The work is an upper bound: serde may stop earlier, at the first variant that fits.

use std::collections::{HashMap, HashSet};

use prompty_core::schema::{Combination, Keywords, Kinds, Schema, Step};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

/// The maximum work for each value that is read, and for each value in it.
pub(crate) const FIXED_STEPS: usize = 10_000;
pub(crate) const STEPS_FOR_A_VALUE: usize = 200;

/// The number of bytes of a string that cost a step.
pub(crate) const BYTES_PER_STEP: usize = 64;

/// The message about a value that takes too many steps.
pub(crate) const EXPECTED_SMALLER: &str = "a smaller value with less nesting";

/// Whether the schema of a type has a union of which at least two alternatives contain the type
/// again. References of such a schema are only to types that contain themselves.
pub(crate) fn has_recursive_union(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(has_recursive_union),
        Value::Object(map) => {
            let is_ambiguous = |combination: Combination| {
                let parts = map.get(combination.keyword()).and_then(Value::as_array);
                // schemars writes the variants of a tagged enum as `oneOf`. Of these, serde reads
                // only the variant of the tag.
                let is_chosen_by_tag =
                    |it: &Value| combination == Combination::OneOf && is_tagged(it);
                let recursive = |it: &&Value| contains_reference(it) && !is_chosen_by_tag(it);
                parts.unwrap_or_default().iter().filter(recursive).count() > 1
            };
            is_ambiguous(Combination::AnyOf)
                || is_ambiguous(Combination::OneOf)
                || map.values().any(has_recursive_union)
        }
        _ => false,
    }
}

fn contains_reference(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(contains_reference),
        Value::Object(map) => map.contains_key("$ref") || map.values().any(contains_reference),
        _ => false,
    }
}

/// Whether an alternative has a tag: a property with a constant, or only one property, whose name
/// is the tag.
fn is_tagged(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| {
        properties.len() == 1 || properties.values().any(|it| it.get("const").is_some())
    })
}

/// Whether serde reads a value in work that is proportional to its size, for a type with this
/// schema.
pub(crate) fn is_bounded(value: &Value, schema: Schema<'_>) -> bool {
    let mut estimate = WorkEstimate::default();
    if let Some(root) = schema.target("#").and_then(Schema::keywords) {
        collect_names(root.map(), &mut estimate.names);
    }
    let size = estimate.measure(value);
    estimate.work(value, schema)
        <= size.saturating_mul(STEPS_FOR_A_VALUE).saturating_add(FIXED_STEPS)
}

/// Adds the names of all properties in a schema.
fn collect_names<'a>(schema: &'a Map, names: &mut HashSet<&'a str>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    names.extend(properties.into_iter().flat_map(Map::keys));
    for part in schema.values() {
        let parts = part.as_array().unwrap_or(std::slice::from_ref(part));
        parts.iter().filter_map(Value::as_object).for_each(|it| collect_names(it, names));
    }
}

/// Computes the work of serde. Each value is compared with each schema only once.
#[derive(Default)]
struct WorkEstimate<'a> {
    /// The names of all properties in the schema.
    names: HashSet<&'a str>,
    /// The number of values in each array and object, with itself, by its address.
    sizes: HashMap<usize, usize>,
    /// The work for a value and a schema, by their addresses.
    known: HashMap<(usize, usize), usize>,
}

impl<'a> WorkEstimate<'a> {
    /// Stores and returns the size of a value.
    fn measure(&mut self, value: &Value) -> usize {
        let inner: usize = match value {
            Value::Array(items) => items.iter().map(|it| self.measure(it)).sum(),
            Value::Object(map) => map.values().map(|it| self.measure(it)).sum(),
            Value::String(text) => return 1 + text.len() / BYTES_PER_STEP,
            _ => return 1,
        };
        self.sizes.insert(std::ptr::from_ref(value).addr(), 1 + inner);
        1 + inner
    }

    fn size(&self, value: &Value) -> usize {
        let known = self.sizes.get(&std::ptr::from_ref(value).addr());
        known.copied().unwrap_or_else(|| match value {
            Value::String(text) => 1 + text.len() / BYTES_PER_STEP,
            _ => 1,
        })
    }

    /// The work of reading a value as the type of a schema.
    fn work(&mut self, value: &'a Value, schema: Schema<'a>) -> usize {
        let (Some(address), Some(keywords)) = (schema.address(), schema.keywords()) else {
            return self.size(value);
        };
        let pair = (std::ptr::from_ref(value).addr(), address);
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        add_steps(1);
        // The work for a schema that contains itself without a step into the value has no end.
        self.known.insert(pair, usize::MAX);
        let target = schema.own_target().map_or(0, |target| self.work(value, target));
        let alternatives = self.work_of_alternatives(value, schema, keywords);
        let parts = self.work_of_parts(value, schema, keywords);
        let work = target.saturating_add(alternatives).saturating_add(parts).saturating_add(1);
        self.known.insert(pair, work);
        work
    }

    /// The work of trying all alternatives.
    fn work_of_alternatives(
        &mut self,
        value: &'a Value,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
    ) -> usize {
        let mut work: usize = 0;
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            if parts.len() > 1 {
                // serde copies the value first.
                work = work.saturating_add(self.size(value));
            }
            for part in parts.iter().map(|it| schema.part(it)) {
                if combination != Combination::OneOf || !has_other_tag(part, value) {
                    work = work.saturating_add(self.work(value, part));
                }
            }
        }
        work
    }

    /// The work for the items or entries of a value.
    fn work_of_parts(
        &mut self,
        value: &'a Value,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
    ) -> usize {
        let kinds = keywords.kinds().ok().flatten().unwrap_or(Kinds::ANY);
        let mut work: usize = 0;
        match value {
            Value::Object(map) if kinds.intersects(Kinds::OBJECT) => {
                for (name, inner) in map.iter() {
                    work = work.saturating_add(self.work_of_entry(name, inner, schema, keywords));
                }
            }
            Value::Array(items) if kinds.intersects(Kinds::ARRAY) => {
                for (index, item) in items.iter().enumerate() {
                    let of_item = match schema.child(Step::Index(index)) {
                        Some(part) => self.work(item, part),
                        None => self.size(item),
                    };
                    work = work.saturating_add(of_item);
                }
            }
            // serde also reads the fields of a struct from an array.
            Value::Array(items) => {
                let fields = keywords.properties().map_or(0, Map::len);
                for item in items.iter().take(fields) {
                    work = work.saturating_add(self.work_as_any_property(item, schema, keywords));
                }
            }
            Value::String(text) => work = text.len() / BYTES_PER_STEP,
            _ => {}
        }
        work
    }

    fn work_of_entry(
        &mut self,
        name: &'a str,
        value: &'a Value,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
    ) -> usize {
        let properties = keywords.properties();
        let part = properties.and_then(|it| it.get(name)).or_else(|| keywords.free_entries());
        match part {
            Some(part) => self.work(value, schema.part(part)),
            None if properties.is_none() => self.size(value),
            // The name may be an alias, which the schema does not have.
            None if !self.names.contains(name) => {
                self.work_as_any_property(value, schema, keywords)
            }
            None => 1,
        }
    }

    /// The most work for any of the properties.
    fn work_as_any_property(
        &mut self,
        value: &'a Value,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
    ) -> usize {
        let parts = keywords.properties().into_iter().flat_map(Map::values);
        parts.map(|it| self.work(value, schema.part(it))).max().unwrap_or(0)
    }
}

/// Whether an object has another constant than an alternative requires, so that serde does not try
/// the alternative.
fn has_other_tag(schema: Schema<'_>, value: &Value) -> bool {
    let properties = schema.resolved().keywords().and_then(Keywords::properties);
    let mut constants = properties
        .into_iter()
        .flat_map(Map::iter)
        .filter_map(|(name, part)| Some((name, schema.part(part).keywords()?.constant()?)));
    value.as_object().is_some_and(|map| constants.any(|(name, it)| map.get(name) != Some(it)))
}
