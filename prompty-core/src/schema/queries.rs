//! Queries of a schema about values and their parts, through references and combinations.
//!
//! A query such as [`Schema::kinds_at`] walks from a schema to a place. Each schema at the place
//! has an answer (`SchemaAnswer::of_schema`). Answers of `$ref`, `allOf` and sibling keywords are
//! combined by `both`, those of `anyOf` and `oneOf` by `either`:
//!
//! ```text
//! {"properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/b"}]}},
//!  "$defs": {"b": {"type": ["null", "string"], "const": null}}}
//! kinds at `a` = string or (null) = string or null
//! ```

use std::collections::HashSet;

use super::keywords::{Combination, Keywords};
use super::kinds::Kinds;
use super::part::{Schema, SchemaForm, Step};
use crate::ordered_map::OrderedMap;
use crate::value::{Map, Value};

/// The maximum number of schemas that a query visits. Without it, schemas with many mutual
/// references would take too long.
const MAX_SCHEMAS: usize = 2000;

/// The number of `enum` values, or bytes of a reference, that count as a visited schema.
const PER_SCHEMA: usize = 16;

/// The maximum recursion of a query, which limits the use of the stack.
const MAX_NESTING: usize = 256;

impl<'a> Schema<'a> {
    /// The kinds of values that the schema's keywords, references and combinations allow.
    pub fn kinds(self) -> Kinds {
        self.kinds_at(&[])
    }

    /// The kinds of values that the schema allows at a place inside of a value. If the schema does
    /// not describe the place, or if the query takes too long, all kinds are allowed.
    ///
    /// If one of several alternatives describes the place, those that do not are ignored.
    pub fn kinds_at(self, steps: &[Step<'_>]) -> Kinds {
        self.query(steps).unwrap_or(Kinds::ANY)
    }

    /// The schemas that describe a place inside of a value, without duplicates.
    pub fn parts_at(self, steps: &[Step<'_>]) -> Vec<Self> {
        self.query(steps).unwrap_or_default()
    }

    /// The properties that the schema names, in order, also through references and `allOf`.
    pub fn properties(self) -> Vec<Property<'a>> {
        let conjoined =
            self.query(&[]).map(|ConjoinedSchemas(schemas)| schemas).unwrap_or_default();
        let mut properties: OrderedMap<&'a str, Property<'a>> = OrderedMap::new();
        let mut required: HashSet<&'a str> = HashSet::new();
        let mut read = HashSet::new();
        for keywords in conjoined.iter().filter_map(|schema| schema.keywords()) {
            if !read.insert(std::ptr::from_ref(keywords.map())) {
                continue;
            }
            required.extend(keywords.required().unwrap_or_default());
            for (name, schema) in keywords.properties().into_iter().flat_map(Map::iter) {
                let new = || Property { name, schemas: Vec::new(), is_required: false };
                properties.get_or_insert_with(name, new).schemas.push(schema);
            }
        }
        let properties = properties.into_values();
        let with_required = properties
            .map(|property| Property { is_required: required.contains(property.name), ..property });
        with_required.collect()
    }

    /// Whether every object that matches the schema must have some property.
    pub fn requires_some_name(self) -> bool {
        matches!(self.query(&[]), Some(RequiresName(true)))
    }

    /// The subschema of this schema's own keywords for a step into a value.
    pub fn child(self, step: Step<'_>) -> Option<Self> {
        Some(self.part(subschema_for_step(self.keywords()?, step)?))
    }

    /// The answer for a place; `None` if no schema describes it, or if the query takes too long.
    fn query<T: SchemaAnswer<'a>>(self, steps: &[Step<'_>]) -> Option<T> {
        let mut walk = SchemaWalk { schemas_left: MAX_SCHEMAS, collected: HashSet::new() };
        walk.query(self, steps, None).ok().flatten()
    }
}

/// A property that a schema names.
#[derive(Debug, Clone)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its schemas, all of which apply.
    pub schemas: Vec<&'a Value>,
    /// Whether every object must have it.
    pub is_required: bool,
}

/// The error of a query that takes too long.
struct WalkLimitError;

/// An answer of the schemas at a place, and how to combine several answers.
trait SchemaAnswer<'a>: Sized {
    /// Whether the answer is a collection of the schemas at the place. Each schema is then visited
    /// once, without its references and combinations.
    const COLLECTS: bool;

    /// The answer of a single schema.
    fn of_schema(schema: Schema<'a>, walk: &mut SchemaWalk) -> Result<Self, WalkLimitError>;

    /// The answer if both schemas apply.
    fn both(self, other: Self) -> Self;

    /// The answer if one of two schemas applies.
    fn either(self, other: Self) -> Self;
}

impl<'a> SchemaAnswer<'a> for Kinds {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, walk: &mut SchemaWalk) -> Result<Self, WalkLimitError> {
        match schema.form() {
            SchemaForm::Nothing => Ok(Self::NONE),
            SchemaForm::Everything | SchemaForm::Malformed(_) => Ok(Self::ANY),
            SchemaForm::Keywords(keywords) => own_kinds(keywords, walk),
        }
    }

    fn both(self, other: Self) -> Self {
        self.intersection(other)
    }

    fn either(self, other: Self) -> Self {
        self.union(other)
    }
}

/// The kinds that `type`, `const` and `enum` allow. Keywords of a wrong form are ignored.
fn own_kinds(keywords: Keywords<'_>, walk: &mut SchemaWalk) -> Result<Kinds, WalkLimitError> {
    let mut kinds = keywords.kinds().ok().flatten().unwrap_or(Kinds::ANY);
    if let Some(value) = keywords.constant() {
        kinds = kinds.intersection(Kinds::from_value(value));
    }
    if let Some(values) = keywords.values().ok().flatten() {
        walk.spend(values.len() / PER_SCHEMA)?;
        let listed = values.iter().map(Kinds::from_value).fold(Kinds::NONE, Kinds::union);
        kinds = kinds.intersection(listed);
    }
    Ok(kinds)
}

impl<'a> SchemaAnswer<'a> for Vec<Schema<'a>> {
    const COLLECTS: bool = true;

    fn of_schema(schema: Schema<'a>, _: &mut SchemaWalk) -> Result<Self, WalkLimitError> {
        Ok(vec![schema])
    }

    fn both(mut self, mut other: Self) -> Self {
        self.append(&mut other);
        self
    }

    fn either(self, other: Self) -> Self {
        self.both(other)
    }
}

/// The schemas that all apply to the same value as the queried one.
struct ConjoinedSchemas<'a>(Vec<Schema<'a>>);

impl<'a> SchemaAnswer<'a> for ConjoinedSchemas<'a> {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, _: &mut SchemaWalk) -> Result<Self, WalkLimitError> {
        Ok(Self(vec![schema]))
    }

    fn both(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    // None of the alternatives applies to every value.
    fn either(self, _: Self) -> Self {
        Self(Vec::new())
    }
}

/// Whether the schema requires a name.
struct RequiresName(bool);

impl<'a> SchemaAnswer<'a> for RequiresName {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, _: &mut SchemaWalk) -> Result<Self, WalkLimitError> {
        let names = schema.keywords().and_then(|keywords| keywords.required().ok());
        Ok(Self(names.is_some_and(|names| !names.is_empty())))
    }

    fn both(self, other: Self) -> Self {
        Self(self.0 || other.0)
    }

    fn either(self, other: Self) -> Self {
        Self(self.0 && other.0)
    }
}

/// A walk over the schemas that apply to a value.
struct SchemaWalk {
    schemas_left: usize,
    /// For a collection: the visited schemas, with the number of remaining steps.
    collected: HashSet<(usize, usize)>,
}

/// A schema on the current path of the walk, and its predecessor.
struct PathEntry<'w> {
    address: usize,
    /// The number of remaining steps to the place.
    steps_left: usize,
    /// The number of entries before this one.
    depth: usize,
    previous: Option<&'w Self>,
}

impl PathEntry<'_> {
    /// Whether a schema is already on the path. Visiting it again would add nothing.
    fn contains(&self, address: usize, steps_left: usize) -> bool {
        let is_here = self.address == address && self.steps_left == steps_left;
        is_here || self.previous.is_some_and(|previous| previous.contains(address, steps_left))
    }
}

impl SchemaWalk {
    /// Subtracts visited schemas from those that are left.
    fn spend(&mut self, schemas: usize) -> Result<(), WalkLimitError> {
        self.schemas_left = self.schemas_left.checked_sub(schemas).ok_or(WalkLimitError)?;
        Ok(())
    }

    /// The answer of a schema for a place; `None` if the schema does not describe the place.
    fn query<'a, T: SchemaAnswer<'a>>(
        &mut self,
        schema: Schema<'a>,
        steps: &[Step<'_>],
        previous: Option<&PathEntry<'_>>,
    ) -> Result<Option<T>, WalkLimitError> {
        self.spend(1)?;
        let own = match steps {
            [] => Some(T::of_schema(schema, self)?),
            _ => None,
        };
        let (Some(keywords), Some(address)) = (schema.keywords(), schema.address()) else {
            return Ok(own);
        };
        // A collection needs each schema once. Other answers combine those of all paths, so only a
        // schema that leads back to itself is left out.
        let is_visited = match T::COLLECTS {
            true => !self.collected.insert((address, steps.len())),
            false => previous.is_some_and(|previous| previous.contains(address, steps.len())),
        };
        if is_visited {
            return Ok(None);
        }
        if steps.is_empty() && T::COLLECTS {
            return Ok(own);
        }
        let depth = previous.map_or(0, |previous| previous.depth + 1);
        if depth > MAX_NESTING {
            return Err(WalkLimitError);
        }
        let here = PathEntry { address, steps_left: steps.len(), depth, previous };
        self.query_further(schema, keywords, steps, &here, own)
    }

    /// Combines the answer of a schema itself with those of the schemas that it leads to: its child
    /// on the way to the place, the target of its reference, and the parts of its combinations.
    fn query_further<'a, T: SchemaAnswer<'a>>(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        steps: &[Step<'_>],
        here: &PathEntry<'_>,
        own: Option<T>,
    ) -> Result<Option<T>, WalkLimitError> {
        let mut all = own;
        if let Some((&step, rest)) = steps.split_first()
            && let Some(child) = subschema_for_step(keywords, step)
        {
            all = join(all, self.query(schema.part(child), rest, Some(here))?, T::both);
        }
        if let Some(reference) = keywords.reference().ok().flatten() {
            self.spend(reference.len() / PER_SCHEMA)?;
            if let Some(target) = schema.target(reference) {
                all = join(all, self.query(target, steps, Some(here))?, T::both);
            }
        }
        for combination in Combination::ALL {
            let mut answer = None;
            for part in keywords.combination(combination).unwrap_or_default() {
                let part = self.query(schema.part(part), steps, Some(here))?;
                answer = match combination {
                    Combination::AllOf => join(answer, part, T::both),
                    Combination::AnyOf | Combination::OneOf => join(answer, part, T::either),
                };
            }
            all = join(all, answer, T::both);
        }
        Ok(all)
    }
}

/// Combines two answers. If a schema has no answer, the other answer is the result.
fn join<T>(one: Option<T>, other: Option<T>, combine: fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(combine(one, other)),
        (one, other) => one.or(other),
    }
}

/// The subschema of the keywords for a step into a value.
fn subschema_for_step<'a>(keywords: Keywords<'a>, step: Step<'_>) -> Option<&'a Value> {
    match step {
        Step::Name(name) => {
            let named = keywords.properties().and_then(|properties| properties.get(name));
            named.or_else(|| schema_of_others(keywords))
        }
        Step::Index(index) => {
            let items = keywords.items()?;
            items.of_item(index)
        }
    }
}

/// The schema of the properties that are not named, if it applies to all of them.
fn schema_of_others<'a>(keywords: Keywords<'a>) -> Option<&'a Value> {
    let patterns = keywords.map().get("patternProperties").and_then(Value::as_object);
    let has_patterns = patterns.is_some_and(|patterns| !patterns.is_empty());
    keywords.additional_properties().filter(|it| !has_patterns && it.as_object().is_some())
}
