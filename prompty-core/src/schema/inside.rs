//! What a schema says of a value and of the places inside of it, over references and combinations.

use std::collections::HashSet;

use super::keywords::{Combination, Keywords};
use super::kinds::Kinds;
use super::part::{Form, Schema, Step};
use crate::ordered_map::OrderedMap;
use crate::value::{Map, Value};

/// Schemas that are looked at before a schema counts as saying nothing: those that refer to each
/// other would be more than there is time for.
const MOST_SCHEMAS: usize = 2000;

/// Values of an `enum`, or bytes of a reference, that cost as much as one schema.
const PER_SCHEMA: usize = 16;

/// Schemas that are asked inside of each other, each with some room on the stack.
const DEEPEST: usize = 256;

impl<'a> Schema<'a> {
    /// The kinds of values that it admits, as far as its keywords, its references and its
    /// combinations tell.
    pub fn kinds(self) -> Kinds {
        self.kinds_at(&[])
    }

    /// The kinds of what a value of this schema may have at a place inside. Where nothing is said of
    /// the place, or reading it takes too long, that is any kind.
    ///
    /// Of alternatives, those that do not name the place are not asked where another one does.
    pub fn kinds_at(self, steps: &[Step<'_>]) -> Kinds {
        self.ask(steps).unwrap_or(Kinds::ANY)
    }

    /// The schemas that say something of a place inside of a value, each once.
    pub fn parts_at(self, steps: &[Step<'_>]) -> Vec<Self> {
        self.ask(steps).unwrap_or_default()
    }

    /// The properties that it names for objects, in order, also behind references and in `allOf`.
    pub fn properties(self) -> Vec<Property<'a>> {
        let together = self.ask(&[]).map(|Together(schemas)| schemas).unwrap_or_default();
        let mut properties: OrderedMap<&'a str, Property<'a>> = OrderedMap::new();
        let mut required: HashSet<&'a str> = HashSet::new();
        let mut read = HashSet::new();
        for keywords in together.iter().filter_map(|schema| schema.keywords()) {
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

    /// Whether some name has to be there in every object that follows it.
    pub fn requires_some_name(self) -> bool {
        matches!(self.ask(&[]), Some(Required(true)))
    }

    /// The schema that its own keywords have for a step into a value.
    pub fn child(self, step: Step<'_>) -> Option<Self> {
        Some(self.part(child(self.keywords()?, step)?))
    }

    /// The answer for a place. `None` if no schema names the place, or reading takes too long.
    fn ask<T: Answer<'a>>(self, steps: &[Step<'_>]) -> Option<T> {
        Walk::new().ask(self, steps, None).ok().flatten()
    }
}

/// A property that a schema names.
#[derive(Debug, Clone)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its schemas. All of them hold.
    pub schemas: Vec<&'a Value>,
    /// Whether every object must have it.
    pub is_required: bool,
}

/// That a question takes too long.
struct TooMuch;

/// What is asked of the schemas of a place, and how the answers go together.
trait Answer<'a>: Sized {
    /// Whether the answer is a collection of the schemas of the place: then each is asked once, and
    /// its references and combinations are not.
    const COLLECTS: bool;

    /// The answer of one schema.
    fn of_schema(schema: Schema<'a>, walk: &mut Walk) -> Result<Self, TooMuch>;

    /// The answer where both schemas hold.
    fn both(self, other: Self) -> Self;

    /// The answer where one of two schemas holds.
    fn either(self, other: Self) -> Self;
}

impl<'a> Answer<'a> for Kinds {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, walk: &mut Walk) -> Result<Self, TooMuch> {
        match schema.form() {
            Form::Nothing => Ok(Self::NONE),
            Form::Everything | Form::Malformed(_) => Ok(Self::ANY),
            Form::Keywords(keywords) => own_kinds(keywords, walk),
        }
    }

    fn both(self, other: Self) -> Self {
        self.intersection(other)
    }

    fn either(self, other: Self) -> Self {
        self.union(other)
    }
}

/// The kinds that `type`, `const` and `enum` leave. Those with the wrong form say nothing.
fn own_kinds(keywords: Keywords<'_>, walk: &mut Walk) -> Result<Kinds, TooMuch> {
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

impl<'a> Answer<'a> for Vec<Schema<'a>> {
    const COLLECTS: bool = true;

    fn of_schema(schema: Schema<'a>, _: &mut Walk) -> Result<Self, TooMuch> {
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

/// The schemas that hold together with the one that is asked.
struct Together<'a>(Vec<Schema<'a>>);

impl<'a> Answer<'a> for Together<'a> {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, _: &mut Walk) -> Result<Self, TooMuch> {
        Ok(Self(vec![schema]))
    }

    fn both(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    fn either(self, _: Self) -> Self {
        Self(Vec::new())
    }
}

/// Whether a name is required.
struct Required(bool);

impl<'a> Answer<'a> for Required {
    const COLLECTS: bool = false;

    fn of_schema(schema: Schema<'a>, _: &mut Walk) -> Result<Self, TooMuch> {
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

/// The one walk over the schemas that hold for a value.
struct Walk {
    schemas_left: usize,
    /// The schemas that were asked for a collection, with how many steps were left.
    collected: HashSet<(usize, usize)>,
}

/// A schema that is being asked, and the one that led to it.
struct Asked<'w> {
    address: usize,
    /// How many steps are left to the place.
    steps: usize,
    depth: usize,
    before: Option<&'w Self>,
}

impl Asked<'_> {
    /// Whether the walk is back at a schema, which adds nothing to what it says.
    fn contains(&self, address: usize, steps: usize) -> bool {
        let is_here = self.address == address && self.steps == steps;
        is_here || self.before.is_some_and(|before| before.contains(address, steps))
    }
}

impl Walk {
    fn new() -> Self {
        Self { schemas_left: MOST_SCHEMAS, collected: HashSet::new() }
    }

    fn spend(&mut self, schemas: usize) -> Result<(), TooMuch> {
        self.schemas_left = self.schemas_left.checked_sub(schemas).ok_or(TooMuch)?;
        Ok(())
    }

    /// What a schema says of a place; nothing where it does not name it.
    fn ask<'a, T: Answer<'a>>(
        &mut self,
        schema: Schema<'a>,
        steps: &[Step<'_>],
        before: Option<&Asked<'_>>,
    ) -> Result<Option<T>, TooMuch> {
        self.spend(1)?;
        let own = match steps {
            [] => Some(T::of_schema(schema, self)?),
            _ => None,
        };
        let (Some(keywords), Some(address)) = (schema.keywords(), schema.address()) else {
            return Ok(own);
        };
        let is_known = match T::COLLECTS {
            true => !self.collected.insert((address, steps.len())),
            false => before.is_some_and(|before| before.contains(address, steps.len())),
        };
        if is_known {
            return Ok(None);
        }
        if steps.is_empty() && T::COLLECTS {
            return Ok(own);
        }
        let depth = before.map_or(0, |before| before.depth + 1);
        if depth > DEEPEST {
            return Err(TooMuch);
        }
        let here = Asked { address, steps: steps.len(), depth, before };
        let mut all = own;
        if let Some((&step, rest)) = steps.split_first()
            && let Some(child) = child(keywords, step)
        {
            all = join(all, self.ask(schema.part(child), rest, Some(&here))?, T::both);
        }
        if let Some(reference) = keywords.reference().ok().flatten() {
            self.spend(reference.len() / PER_SCHEMA)?;
            if let Some(target) = schema.target(reference) {
                all = join(all, self.ask(target, steps, Some(&here))?, T::both);
            }
        }
        for combination in Combination::ALL {
            let mut answer = None;
            for part in keywords.combination(combination).unwrap_or_default() {
                let part = self.ask(schema.part(part), steps, Some(&here))?;
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

/// Two answers as one; a schema that says nothing leaves the other's.
fn join<T>(one: Option<T>, other: Option<T>, together: fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(together(one, other)),
        (one, other) => one.or(other),
    }
}

/// The schema that the keywords have for a step into a value.
fn child<'a>(keywords: Keywords<'a>, step: Step<'_>) -> Option<&'a Value> {
    match step {
        Step::Name(name) => {
            let named = keywords.properties().and_then(|properties| properties.get(name));
            named.or_else(|| others(keywords))
        }
        Step::Index(index) => {
            let items = keywords.items()?;
            items.first.1.get(index).or(items.rest.map(|(_, rest)| rest))
        }
    }
}

/// The schema of the properties that are not named, where it says something of each.
fn others<'a>(keywords: Keywords<'a>) -> Option<&'a Value> {
    let patterns = keywords.map().get("patternProperties").and_then(Value::as_object);
    let has_patterns = patterns.is_some_and(|patterns| !patterns.is_empty());
    keywords.additional_properties().filter(|it| !has_patterns && it.as_object().is_some())
}
