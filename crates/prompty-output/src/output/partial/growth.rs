//! The three states of a value, and how it goes from one to the next.

use std::convert::Infallible;
use std::fmt;

use prompty_core::value::Value;
use serde::de::DeserializeOwned;

use crate::output::path::Step;

/// A value while its reply comes.
///
/// A value that is done stays as it is, and is the value that the whole reply has there: only
/// [`OutputEvent::Restarted`](crate::output::OutputEvent::Restarted) makes it absent again.
// There is no fourth state, so a `match` may name all three.
#[allow(clippy::exhaustive_enums, reason = "a value is absent, growing or done")]
#[derive(Default)]
pub enum Partial<T: Growable> {
    /// Nothing of it came.
    #[default]
    Absent,
    /// A part of it came.
    Growing(T::Growing),
    /// It is whole.
    Done(T),
}

/// A type whose values can be shown while they grow.
///
/// | type | while it grows |
/// |---|---|
/// | texts | a [`String`] |
/// | lists and sets of `T` | `Vec<Partial<T>>` |
/// | maps to `V` | [`GrowingMap<V>`](super::GrowingMap), in the order of the reply |
/// | `Option<T>`, `Box<T>` | as `T`; in a box that of `T` |
/// | numbers, truth values, enums without data | nothing: they are absent or done |
/// | a struct `Answer` with `#[derive(Partial)]` | a struct `PartialAnswer` with the same fields, each a [`Partial`] |
/// | enums with data, tuples, [`Value`] | [`GrowingValue`](super::GrowingValue) |
///
/// A struct with one field and no name for it grows as that field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown while it grows",
    label = "`{Self}` has nothing between absent and whole",
    note = "add `#[derive(Partial)]` to it: the derive stands beside `Output`",
    note = "a field of a type from elsewhere can be left as it is until it is whole: write `#[partial(whole)]` above it"
)]
pub trait Growable: Readable {
    /// What there is between nothing and the whole.
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

// If serde's trait stood in its place, rustc would take that for one that nobody may implement.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Readable for T {}

/// A value between nothing and the whole. The derive implements it.
pub trait Growth: Sized {
    /// The value in front of the first change, if one at these steps can be a part of it.
    #[doc(hidden)]
    fn begin(steps: &[Step]) -> Option<Self>;

    /// Takes a change of the value, or of one inside of it.
    #[doc(hidden)]
    fn grow(&mut self, steps: &[Step], change: &Change<'_>);
}

/// What is new of a value.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Change<'a> {
    /// A text has grown.
    Text(&'a str),
    /// It is whole; nothing if it does not fit its type.
    Done(Option<&'a Value>),
    /// What came of it is void.
    Void,
}

impl<T: Growable> Partial<T> {
    /// The value, once it is whole.
    pub const fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            _ => None,
        }
    }

    /// What came of the value, while it grows.
    pub const fn growing(&self) -> Option<&T::Growing> {
        match self {
            Self::Growing(growing) => Some(growing),
            _ => None,
        }
    }

    /// Whether nothing of the value came.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Takes a change of the value, or of one inside of it.
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
    /// The text as far as it came.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Absent => "",
            Self::Growing(text) | Self::Done(text) => text,
        }
    }
}

impl<T: Growable + Clone> Clone for Partial<T>
where
    T::Growing: Clone,
{
    fn clone(&self) -> Self {
        match self {
            Self::Absent => Self::Absent,
            Self::Growing(growing) => Self::Growing(growing.clone()),
            Self::Done(value) => Self::Done(value.clone()),
        }
    }
}

impl<T: Growable + fmt::Debug> fmt::Debug for Partial<T>
where
    T::Growing: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("Absent"),
            Self::Growing(growing) => f.debug_tuple("Growing").field(growing).finish(),
            Self::Done(value) => f.debug_tuple("Done").field(value).finish(),
        }
    }
}

impl<T: Growable + PartialEq> PartialEq for Partial<T>
where
    T::Growing: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent, Self::Absent) => true,
            (Self::Growing(one), Self::Growing(other)) => one == other,
            (Self::Done(one), Self::Done(other)) => one == other,
            _ => false,
        }
    }
}

/// A value that is absent or done, with nothing in between.
impl Growth for Infallible {
    fn begin(_: &[Step]) -> Option<Self> {
        None
    }

    fn grow(&mut self, _: &[Step], _: &Change<'_>) {}
}
