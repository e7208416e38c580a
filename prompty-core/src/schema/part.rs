//! A schema or a part of one, and the targets of its references.

use std::borrow::Cow;

use super::keywords::{Keywords, is_annotation};
use super::pointer;
use crate::value::{Map, Value, internal};

/// The maximum number of references that are followed one after another.
pub const MOST_REFERENCES: usize = 64;

/// A step from a value to one that it contains. A sequence of steps says for which part of a value
/// [`Schema::parts_at`] and similar methods look up the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'s> {
    /// To the property of an object with this name.
    Name(&'s str),
    /// To the item of an array with this index.
    Index(usize),
}

impl<'s> From<&'s internal::PathStep> for Step<'s> {
    fn from(step: &'s internal::PathStep) -> Self {
        match step {
            internal::PathStep::Name(name) => Self::Name(name),
            internal::PathStep::Index(index) => Self::Index(*index),
        }
    }
}

/// A schema, or a part of one, with its root for references.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    /// `None` if the root is not an object, so it contains no references.
    root: Option<&'a Map>,
    form: SchemaForm<'a>,
    /// `None` if the schema is a root that was created from a map.
    value: Option<&'a Value>,
}

/// The form of a schema.
#[derive(Debug, Clone, Copy)]
pub enum SchemaForm<'a> {
    /// `true`: every value matches.
    Everything,
    /// `false`: no value matches.
    Nothing,
    /// An object with keywords.
    Keywords(Keywords<'a>),
    /// Any other value, which is not a schema.
    Malformed(&'a Value),
}

impl<'a> SchemaForm<'a> {
    fn from_value(value: &'a Value) -> Self {
        match value {
            Value::Bool(true) => Self::Everything,
            Value::Bool(false) => Self::Nothing,
            Value::Object(map) => Self::Keywords(Keywords::new(map)),
            other => Self::Malformed(other),
        }
    }
}

impl<'a> Schema<'a> {
    /// Creates a root schema. Its references are resolved in itself.
    pub fn from_value(value: &'a Value) -> Self {
        Self { root: value.as_object(), form: SchemaForm::from_value(value), value: Some(value) }
    }

    /// Creates a root schema from a map, such as the parameters of a tool.
    pub fn from_map(map: &'a Map) -> Self {
        Self { root: Some(map), form: SchemaForm::Keywords(Keywords::new(map)), value: None }
    }

    /// Another part with the same root.
    #[must_use]
    pub fn part(self, part: &'a Value) -> Self {
        Self { root: self.root, form: SchemaForm::from_value(part), value: Some(part) }
    }

    /// The form of the schema.
    pub fn form(self) -> SchemaForm<'a> {
        self.form
    }

    /// Its keywords, if it is an object.
    pub fn keywords(self) -> Option<Keywords<'a>> {
        match self.form {
            SchemaForm::Keywords(keywords) => Some(keywords),
            _ => None,
        }
    }

    /// The schema as a value; `None` if it is a root that was created from a map.
    pub fn value(self) -> Option<&'a Value> {
        self.value
    }

    /// Identifies the schema among all parts of the same root that have keywords.
    pub fn address(self) -> Option<usize> {
        self.keywords().map(|keywords| std::ptr::from_ref(keywords.map()).addr())
    }

    /// The target of a reference such as `#/$defs/address`; `None` if the root has no such part.
    pub fn target(self, reference: &str) -> Option<Self> {
        self.follow(&pointer::reference_steps(reference)?)
    }

    /// The target of the schema's own reference.
    pub fn own_target(self) -> Option<Self> {
        // The warnings about a schema report a `$ref` that is not a string. Here it is ignored.
        self.target(self.keywords()?.reference().ok().flatten()?)
    }

    /// The part of the root at the end of these steps.
    pub(super) fn follow(self, steps: &[Cow<'_, str>]) -> Option<Self> {
        let root = self.root?;
        let Some((first, steps)) = steps.split_first() else { return Some(Self::from_map(root)) };
        let found = steps.iter().try_fold(root.get(first)?, |at, step| match at {
            Value::Array(list) => list.get(pointer::parse_index(step)?),
            _ => at.get(step),
        })?;
        Some(self.part(found))
    }

    /// Follows references and combinations of a single schema, if the schema has no other keywords:
    /// `{"$ref": "#/$defs/a", "title": "A"}` resolves to `a`. If references lead to nothing,
    /// to themselves, or further than [`MOST_REFERENCES`], the result still has a reference.
    #[must_use]
    pub fn resolved(self) -> Self {
        let mut schema = self;
        for _ in 0..MOST_REFERENCES {
            match schema.sole_target() {
                Some(next) => schema = next,
                None => return schema,
            }
        }
        schema
    }

    /// The schema that this one only refers to, by `$ref` or by an `allOf` with one item.
    fn sole_target(self) -> Option<Self> {
        let keywords = self.keywords()?;
        let mut restricting = keywords.map().iter().filter(|(keyword, _)| !is_annotation(keyword));
        match (restricting.next()?, restricting.next()) {
            (("$ref", _), None) => self.own_target(),
            (("allOf", Value::Array(parts)), None) => match parts.as_slice() {
                [part] => Some(self.part(part)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Its reference, if no other keyword restricts values. Unlike [`resolved`](Self::resolved),
    /// this does not need the target to exist.
    pub fn only_reference(self) -> Option<&'a str> {
        let keywords = self.keywords()?;
        let reference = keywords.reference().ok().flatten()?;
        let also_restricts = |keyword: &str| keyword != "$ref" && !is_annotation(keyword);
        (!keywords.map().keys().any(also_restricts)).then_some(reference)
    }
}
