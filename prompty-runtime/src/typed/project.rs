//! Functions that generated code calls to turn fields into inputs: only the parts that the template
//! reads.

use super::{Each, ToValue, Truth};
#[cfg(feature = "render")]
use crate::nonce::Rich;
#[cfg(feature = "render")]
use prompty_core::message::{Media, Message};
use prompty_core::value::{Map, Value};

/// A field whose attributes the template reads. The attributes of an `Option` are those of its value.
/// The generated code is the same for both: Rust finds the inherent method before the trait's.
#[derive(Debug)]
pub struct Part<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Part<'a, Option<T>> {
    /// The attributes of the value in the `Option`; `null` where there is none.
    pub fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        self.0.as_ref().map_or(Value::Null, attributes)
    }
}

/// [`Part`] for types that are no `Option`.
pub trait PlainPart<'a, T: ?Sized + 'a> {
    /// The attributes.
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value;
}

impl<'a, T: ?Sized + 'a> PlainPart<'a, T> for Part<'a, T> {
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        attributes(self.0)
    }
}

/// The items of a list, each projected.
pub fn list<T: Each + ?Sized>(items: &T, project: impl FnMut(&T::Item) -> Value) -> Value {
    items.each().map(project).collect()
}

/// A value as it is.
pub fn whole<T: ToValue + ?Sized>(value: &T) -> Value {
    value.to_value()
}

/// Whether a value is true, as a value.
pub fn truth<T: Truth + ?Sized>(value: &T) -> Value {
    Value::Bool(value.truth())
}

/// `null`: the result of a check that only rustc reads.
pub fn nothing() -> Value {
    Value::Null
}

/// A text as a value.
pub fn text(text: &str) -> Value {
    Value::from(text)
}

/// A list of values.
pub fn items(items: Vec<Value>) -> Value {
    Value::from(items)
}

/// A map of projected attributes.
pub fn map<const N: usize>(attributes: [(&'static str, Value); N]) -> Value {
    Value::Object(Map::from(attributes))
}

/// A value of which the template asks only whether it is true and whether it is there.
pub fn asked(is_missing: bool, truth: Value) -> Value {
    if is_missing { Value::Null } else { truth }
}

/// A thread as a rich input.
#[cfg(feature = "render")]
pub fn thread(messages: &[Message]) -> Option<Rich> {
    Some(Rich::Thread(messages.to_vec()))
}

/// An image as a rich input.
#[cfg(feature = "render")]
pub fn image(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::Image)
}

/// A file as a rich input.
#[cfg(feature = "render")]
pub fn file(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::File)
}

/// A sound as a rich input.
#[cfg(feature = "render")]
pub fn audio(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::Audio)
}
