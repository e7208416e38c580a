//! A schema or a part of one, and where its references lead.

use std::borrow::Cow;

use super::keywords::{Keywords, is_annotation};
use super::pointer;
use crate::value::{Map, Value, internal};

/// References that are followed one after another.
pub const MOST_REFERENCES: usize = 64;

/// One step from a value to what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'s> {
    /// To what an object has under a name.
    Name(&'s str),
    /// To an item of a list.
    Index(usize),
}

impl<'s> From<&'s internal::Step> for Step<'s> {
    fn from(step: &'s internal::Step) -> Self {
        match step {
            internal::Step::Name(name) => Self::Name(name),
            internal::Step::Index(index) => Self::Index(*index),
        }
    }
}

/// A schema, or a part of one, with the whole of it for references.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    /// `None` if the whole is a boolean: then there are no references in it.
    root: Option<&'a Map>,
    form: Form<'a>,
    /// `None` if the schema is the whole, and that was given as a map.
    value: Option<&'a Value>,
}

/// What a schema is.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// `true`: every value follows it.
    Everything,
    /// `false`: no value follows it.
    Nothing,
    /// A schema that says something by its keywords.
    Keywords(Keywords<'a>),
    /// What is no schema.
    Malformed(&'a Value),
}

impl<'a> Form<'a> {
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
    /// A whole schema. References in it are to itself.
    pub fn from_value(value: &'a Value) -> Self {
        Self { root: value.as_object(), form: Form::from_value(value), value: Some(value) }
    }

    /// A whole schema that is a map, such as the parameters of a tool.
    pub fn from_map(map: &'a Map) -> Self {
        Self { root: Some(map), form: Form::Keywords(Keywords::new(map)), value: None }
    }

    /// Another part of the same whole.
    #[must_use]
    pub fn part(self, part: &'a Value) -> Self {
        Self { root: self.root, form: Form::from_value(part), value: Some(part) }
    }

    /// What it is.
    pub fn form(self) -> Form<'a> {
        self.form
    }

    /// Its keywords, where it has some.
    pub fn keywords(self) -> Option<Keywords<'a>> {
        match self.form {
            Form::Keywords(keywords) => Some(keywords),
            _ => None,
        }
    }

    /// The schema as a value; `None` if it is the whole, and that was given as a map.
    pub fn value(self) -> Option<&'a Value> {
        self.value
    }

    /// Distinguishes the schema from all other parts of the same whole that have keywords.
    pub fn address(self) -> Option<usize> {
        self.keywords().map(|keywords| std::ptr::from_ref(keywords.map()).addr())
    }

    /// The schema that a reference leads to, such as `#/$defs/address`. `None` if the whole schema
    /// has no such part.
    pub fn target(self, reference: &str) -> Option<Self> {
        self.follow(&pointer::steps(reference)?)
    }

    /// The schema that its own reference leads to.
    pub fn own_target(self) -> Option<Self> {
        self.target(self.keywords()?.reference().ok().flatten()?)
    }

    pub(super) fn follow(self, steps: &[Cow<'_, str>]) -> Option<Self> {
        let root = self.root?;
        let Some((first, steps)) = steps.split_first() else { return Some(Self::from_map(root)) };
        let found = steps.iter().try_fold(root.get(first)?, |at, step| match at {
            Value::Array(list) => list.get(pointer::index(step)?),
            _ => at.get(step),
        })?;
        Some(self.part(found))
    }

    /// The schema behind references and lists of one schema, where nothing else is said beside them:
    /// `{"$ref": "#/$defs/a", "title": "A"}` is what `a` is. Where they lead back to themselves, or
    /// nowhere, the schema that has the reference.
    #[must_use]
    pub fn resolved(self) -> Self {
        let mut schema = self;
        for _ in 0..MOST_REFERENCES {
            match schema.next() {
                Some(next) => schema = next,
                None => return schema,
            }
        }
        schema
    }

    /// The schema that this one only stands for.
    fn next(self) -> Option<Self> {
        let keywords = self.keywords()?;
        let mut said = keywords.map().iter().filter(|(keyword, _)| !is_annotation(keyword));
        match (said.next()?, said.next()) {
            (("$ref", _), None) => self.own_target(),
            (("allOf", Value::Array(parts)), None) => match parts.as_slice() {
                [part] => Some(self.part(part)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Its reference, where it says nothing else of a value.
    pub fn only_reference(self) -> Option<&'a str> {
        let keywords = self.keywords()?;
        let reference = keywords.reference().ok().flatten()?;
        let others = |keyword: &str| keyword != "$ref" && !is_annotation(keyword);
        (!keywords.map().keys().any(others)).then_some(reference)
    }
}
