//! A schema with its place, and errors at places of schemas.

use std::borrow::Cow;

use super::keywords::Fault;
use super::part::Schema;
use super::pointer::{self, Pointer, escape};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::value::Value;

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
        Error::new(ErrorKind::Grammar, message).with_place(Place::named(self.pointer.to_string()))
    }

    /// An error at a keyword of the schema.
    pub fn error_at(&self, keyword: &str, message: impl Into<String>) -> Error {
        let place = format!("{}/{}", self.pointer, escape(keyword));
        Error::new(ErrorKind::Grammar, message).with_place(Place::named(place))
    }

    /// The error of a keyword that has the wrong form.
    pub fn fault(&self, fault: &Fault) -> Error {
        self.error_at(fault.keyword, fault.to_string()).with_help_of(fault.help())
    }
}
