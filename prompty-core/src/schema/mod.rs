//! The one reader of JSON schemas: what a schema says, where its references lead, and which kinds of
//! values it admits. Replies, grammars and tools read schemas through it.
//!
//! Schemas come from strangers. Whatever follows references or looks into alternatives counts what it
//! looks at, and stops at a bound: then the schema says nothing.
//!
//! ```
//! use prompty_core::schema::{Kinds, Schema, Step};
//! use prompty_core::value::Value;
//!
//! let schema = Value::from_json(r##"{
//!     "properties": {"city": {"$ref": "#/$defs/a~1b"}, "days": {"type": ["integer", "null"]}},
//!     "$defs": {"a/b": {"type": "string"}}
//! }"##)?;
//! let schema = Schema::from_value(&schema);
//! assert_eq!(schema.kinds_at(&[Step::Name("city")]), Kinds::STRING);
//! let days = schema.kinds_at(&[Step::Name("days")]);
//! assert_eq!(days, Kinds::INTEGER.union(Kinds::NULL));
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod bounds;
mod inside;
mod keywords;
mod kinds;
mod pointer;

pub use bounds::{Bounds, Count, Decimal};
pub use keywords::{Combination, Counted, Fault, Holds, Items, Keywords, holds, is_annotation};
pub use kinds::Kinds;
pub use pointer::{Pointer, escape};

use std::borrow::Cow;

use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::value::{self, Map, Value};

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

impl<'s> From<&'s value::Step> for Step<'s> {
    fn from(step: &'s value::Step) -> Self {
        match step {
            value::Step::Name(name) => Self::Name(name),
            value::Step::Index(index) => Self::Index(*index),
        }
    }
}

/// A schema, or a part of one, with the whole of it for references.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    /// Nothing where the whole is a boolean: then there are no references in it.
    root: Option<&'a Map>,
    form: Form<'a>,
    /// Nothing where the schema is the whole, and that was given as a map.
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

    /// The schema as the value that it is. Nothing where it is the whole, and that was given as a map.
    pub fn value(self) -> Option<&'a Value> {
        self.value
    }

    /// What tells the schema from all other parts of the same whole that have keywords.
    pub fn address(self) -> Option<usize> {
        self.keywords().map(|keywords| std::ptr::from_ref(keywords.map()).addr())
    }

    /// The schema that a reference leads to, such as `#/$defs/address`. Nothing where there is none
    /// in the whole schema.
    pub fn target(self, reference: &str) -> Option<Self> {
        self.follow(&pointer::steps(reference)?)
    }

    /// The schema that its own reference leads to.
    pub fn own_target(self) -> Option<Self> {
        self.target(self.keywords()?.reference().ok().flatten()?)
    }

    fn follow(self, steps: &[Cow<'_, str>]) -> Option<Self> {
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

    /// The kinds of values that it admits, as far as its keywords, its references and its
    /// combinations tell.
    pub fn kinds(self) -> Kinds {
        inside::kinds_at(self, &[])
    }

    /// The kinds of what a value of this schema may have at a place inside. Where nothing is said of
    /// the place, or reading it takes too long, that is any kind.
    ///
    /// Of alternatives, those that do not name the place are not asked where another one does.
    pub fn kinds_at(self, steps: &[Step<'_>]) -> Kinds {
        inside::kinds_at(self, steps)
    }

    /// The schemas that say something of a place inside of a value, each once.
    pub fn parts_at(self, steps: &[Step<'_>]) -> Vec<Self> {
        inside::parts_at(self, steps)
    }

    /// The schema that its own keywords have for a step into a value.
    pub fn child(self, step: Step<'_>) -> Option<Self> {
        Some(self.part(inside::child(self.keywords()?, step)?))
    }

    /// Whether some name has to be there in every object that follows it.
    pub fn requires_some_name(self) -> bool {
        inside::requires_some_name(self)
    }
}

/// A schema and its place in the whole one: for those who tell where a schema is wrong.
#[derive(Debug, Clone)]
pub struct Located<'a> {
    /// The schema.
    pub schema: Schema<'a>,
    /// Its place.
    pub pointer: Pointer<'a>,
}

impl<'a> Located<'a> {
    /// A whole schema.
    pub fn root(value: &'a Value) -> Self {
        Self { schema: Schema::from_value(value), pointer: Pointer::root() }
    }

    /// The schema that a keyword has as its value, or a map of schemas has under a name.
    #[must_use]
    pub fn child(&self, name: &'a str, value: &'a Value) -> Self {
        Self { schema: self.schema.part(value), pointer: self.pointer.name(name) }
    }

    /// The schema of a property.
    #[must_use]
    pub fn property(&self, name: &'a str, value: &'a Value) -> Self {
        let pointer = self.pointer.name("properties").name(name);
        Self { schema: self.schema.part(value), pointer }
    }

    /// The schemas that a keyword has in its list.
    pub fn children(&self, keyword: &'a str, list: &'a [Value]) -> Vec<Self> {
        let pointer = self.pointer.name(keyword);
        let child = |(index, value): (usize, &'a Value)| Self {
            schema: self.schema.part(value),
            pointer: pointer.index(index),
        };
        list.iter().enumerate().map(child).collect()
    }

    /// The schema that a reference leads to.
    pub fn target(&self, reference: &str) -> Option<Self> {
        let steps = pointer::steps(reference)?;
        let schema = self.schema.follow(&steps)?;
        let token = |step: Cow<'_, str>| pointer::Token::Name(step.into_owned().into());
        Some(Self { schema, pointer: steps.into_iter().map(token).collect() })
    }

    /// An error at the schema.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Grammar, message).at(Place::named(self.pointer.to_string()))
    }

    /// An error at a keyword of the schema.
    pub fn error_at(&self, keyword: &str, message: impl Into<String>) -> Error {
        let place = format!("{}/{}", self.pointer, escape(keyword));
        Error::new(ErrorKind::Grammar, message).at(Place::named(place))
    }

    /// The error of a keyword that has the wrong form.
    pub fn fault(&self, fault: &Fault) -> Error {
        let error = self.error_at(fault.keyword, fault.to_string());
        match fault.help() {
            Some(help) => error.with_help(help),
            None => error,
        }
    }
}
