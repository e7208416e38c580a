//! The three states of a value, and the transitions between them.

use std::convert::Infallible;

use prompty_core::value::Value;
use serde::de::DeserializeOwned;

use crate::output::path::Step;

/// A value while its reply is streamed.
///
/// A value that is done does not change. It is the value that the complete reply has at that place.
/// Only [`OutputEvent::Restarted`](crate::output::OutputEvent::Restarted) makes it absent again.
// These are all states, so a `match` may name all three.
#[allow(clippy::exhaustive_enums, reason = "a value is absent, growing or done")]
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Partial<T: Growable> {
    /// No part of it has arrived.
    #[default]
    Absent,
    /// A part of it has arrived.
    Growing(T::Growing),
    /// It is complete.
    Done(T),
}

/// A type whose values can be shown while they grow.
///
/// | type | while it grows |
/// |---|---|
/// | strings | a [`String`] |
/// | lists and sets of `T` | `Vec<Partial<T>>` |
/// | maps to `V` | [`GrowingMap<V>`](super::GrowingMap), in the order of the reply |
/// | `Option<T>`, `Box<T>` | like `T`; for `Box<T>` in a box |
/// | numbers, booleans, enums without data | they are only absent or done |
/// | a struct `Answer` with `#[derive(Partial)]` | a struct `PartialAnswer` with the same fields, each a [`Partial`] |
/// | enums with data, tuples, [`Value`] | [`GrowingValue`](super::GrowingValue) |
///
/// A tuple struct with one field grows like that field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown while it grows",
    label = "`{Self}` does not implement `Growable`",
    note = "add `#[derive(Partial)]` to it; the derive is in the same module as `Output`",
    note = "or add `#[partial(whole)]` to the field, so that it is absent until it is complete"
)]
pub trait Growable: Readable {
    /// The type of a value that is neither absent nor complete.
    type Growing: Growth;
}

/// A type that can be read from a reply.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a reply",
    label = "cannot be read from JSON",
    note = "add `#[derive(serde::Deserialize)]` to it"
)]
pub trait Readable: DeserializeOwned {}

// With serde's trait instead, rustc would report a trait that nobody may implement.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Readable for T {}

/// A value that is neither absent nor complete. The derive implements it.
pub trait Growth: Sized {
    /// The value before its first change, if it can have a part at these steps.
    #[doc(hidden)]
    fn begin(steps: &[Step]) -> Option<Self>;

    /// Applies a change to the value, or to one inside of it.
    #[doc(hidden)]
    fn grow(&mut self, steps: &[Step], change: &Change<'_>);
}

/// A change of a value.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Change<'a> {
    /// A string has grown.
    Text(&'a str),
    /// It is complete; `None` if it does not fit its type.
    Done(Option<&'a Value>),
    /// All of it so far is void, unless it is done.
    Void,
}

impl<T: Growable> Partial<T> {
    /// The value, once it is complete.
    pub const fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            _ => None,
        }
    }

    /// The part that has arrived, while the value grows.
    pub const fn growing(&self) -> Option<&T::Growing> {
        match self {
            Self::Growing(growing) => Some(growing),
            _ => None,
        }
    }

    /// Whether no part of the value has arrived.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Applies a change to the value, or to one inside of it.
    #[doc(hidden)]
    pub fn apply(&mut self, steps: &[Step], change: &Change<'_>) {
        match (&mut *self, steps, change) {
            (Self::Done(_), ..) => {}
            (_, [], Change::Void) => *self = Self::Absent,
            (_, [], Change::Done(value)) => {
                let value = value.and_then(|it| Value::deserialize_in_place::<T>(it).ok());
                if let Some(value) = value {
                    *self = Self::Done(value);
                }
            }
            (Self::Growing(growing), ..) => growing.grow(steps, change),
            (Self::Absent, ..) => {
                if let Some(mut growing) = T::Growing::begin(steps) {
                    growing.grow(steps, change);
                    *self = Self::Growing(growing);
                }
            }
        }
    }
}

impl Partial<String> {
    /// The string so far.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Absent => "",
            Self::Growing(text) | Self::Done(text) => text,
        }
    }
}

/// For values that are only absent or done.
impl Growth for Infallible {
    fn begin(_: &[Step]) -> Option<Self> {
        None
    }

    fn grow(&mut self, _: &[Step], _: &Change<'_>) {}
}
