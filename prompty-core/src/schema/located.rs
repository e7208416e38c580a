//! Schemas with their places, and errors at these places.

use std::borrow::Cow;

use super::keywords::KeywordError;
use super::part::Schema;
use super::pointer::{self, Pointer, PointerToken, escape};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::value::Value;

/// A schema and its place in the root schema. The writers of grammars use it, so its errors are of
/// the kind [`ErrorKind::Grammar`].
#[derive(Debug, Clone)]
pub struct LocatedSchema<'a> {
    /// The schema.
    pub schema: Schema<'a>,
    /// Its place in the root schema.
    pub pointer: Pointer<'a>,
}

impl<'a> LocatedSchema<'a> {
    /// Creates a root schema.
    pub fn root(value: &'a Value) -> Self {
        Self { schema: Schema::from_value(value), pointer: Pointer::root() }
    }

    /// A subschema that is the value of a keyword, or an entry in a map of schemas.
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

    /// The subschemas in the array of a keyword.
    pub fn children(&self, keyword: &'a str, list: &'a [Value]) -> Vec<Self> {
        let pointer = self.pointer.name(keyword);
        let child = |(index, value): (usize, &'a Value)| Self {
            schema: self.schema.part(value),
            pointer: pointer.index(index),
        };
        list.iter().enumerate().map(child).collect()
    }

    /// The target of a reference.
    pub fn target(&self, reference: &str) -> Option<Self> {
        let steps = pointer::reference_steps(reference)?;
        let schema = self.schema.follow(&steps)?;
        let token = |step: Cow<'_, str>| PointerToken::Name(step.into_owned().into());
        Some(Self { schema, pointer: steps.into_iter().map(token).collect() })
    }

    /// Creates an error at the schema.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Grammar, message).with_place(Place::named(self.pointer.to_string()))
    }

    /// Creates an error at a keyword of the schema.
    pub fn error_at(&self, keyword: &str, message: impl Into<String>) -> Error {
        let place = format!("{}/{}", self.pointer, escape(keyword));
        Error::new(ErrorKind::Grammar, message).with_place(Place::named(place))
    }

    /// Converts the error of a keyword of the schema.
    pub fn keyword_error(&self, error: &KeywordError) -> Error {
        self.error_at(error.keyword, error.to_string()).with_help_of(error.help())
    }
}
