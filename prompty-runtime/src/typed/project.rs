//! Functions of generated code that convert fields into inputs. They convert only what the template
//! reads.

use super::truth::BlockTruth;
#[cfg(feature = "render")]
use crate::nonce::Rich;
#[cfg(feature = "render")]
use prompty_core::message::{ContentPart, Message};
use prompty_core::value::{Map, Value};

/// A value whose attributes the template reads. An `Option` has the attributes of the value inside.
/// The generated code is the same for both: Rust finds the inherent method before the method of the
/// trait.
#[derive(Debug)]
pub struct Parent<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Parent<'a, Option<T>> {
    /// Converts the attributes of the value in the `Option`; `null` if it is `None`.
    pub fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        self.0.as_ref().map_or(Value::Null, attributes)
    }
}

/// [`Parent`] for a type that is not an `Option`.
pub trait PlainParent<'a, T: ?Sized + 'a> {
    /// Converts the attributes.
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value;
}

impl<'a, T: ?Sized + 'a> PlainParent<'a, T> for Parent<'a, T> {
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        attributes(self.0)
    }
}

/// Returns `null`, for an expression that only rustc must check.
pub fn null() -> Value {
    Value::Null
}

/// Converts a string.
pub fn text(text: &str) -> Value {
    Value::from(text)
}

/// Makes a list of values.
pub fn items(items: Vec<Value>) -> Value {
    Value::from(items)
}

/// Makes a map of the attributes that the template reads.
pub fn map<const N: usize>(attributes: [(&'static str, Value); N]) -> Value {
    Value::Object(Map::from(attributes))
}

/// Makes a map of the entries that the template reads. Absent entries stay missing.
pub fn entries<const N: usize>(entries: [(&'static str, Option<Value>); N]) -> Value {
    let present = entries.into_iter().filter_map(|(name, entry)| Some((name, entry?)));
    Value::Object(present.collect())
}

/// Converts a value that the template uses only as a condition or in the test `none`.
pub fn condition(is_missing: bool, truth: Value) -> Value {
    if is_missing { Value::Null } else { truth }
}

/// Converts a value that a Handlebars template uses only as a condition or as the value of a block.
/// The result is a simple value with the same truth: zero represents all values that are false for
/// `{{#if}}` but entered by `{{#with}}`.
pub fn block_condition(is_missing: bool, truth: BlockTruth, is_text: bool) -> Value {
    match truth {
        _ if is_missing => Value::Null,
        BlockTruth { holds: true, .. } => Value::Bool(true),
        BlockTruth { is_entered: true, .. } => Value::Integer(0),
        // A section is also written for an empty string.
        _ if is_text => Value::from(""),
        _ => Value::Bool(false),
    }
}

/// A thread as a rich input.
#[cfg(feature = "render")]
pub fn thread(messages: &[Message]) -> Option<Rich> {
    Some(Rich::Thread(messages.to_vec()))
}

/// Media as a rich input.
#[cfg(feature = "render")]
pub fn media(part: Option<ContentPart>) -> Option<Rich> {
    part.map(Rich::Part)
}
