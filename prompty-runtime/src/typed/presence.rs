//! Whether the type of a place allows that its value is missing.
//!
//! The checker does not know the fields of foreign structs. If a template uses such a value without
//! a guard or default, the generated code requires [`CertainPresence`] of the type. An `Option`
//! does not implement it, and rustc reports that with the checker's message.
//!
//! The required type is that of `Place(&value).presence()`: Rust's method lookup finds the inherent
//! method of a place with an `Option` first, and [`PlainPresence`] for all other types (see
//! [`super::tiers`]).

use std::rc::Rc;
use std::sync::Arc;

use super::place::Place;
use super::tiers::tiers;

/// The presence of a value that is never missing.
#[diagnostic::on_unimplemented(
    message = "a value that may be missing is used with no guard and no default",
    label = "may be missing"
)]
pub trait CertainPresence {}

/// Marks at the type level a value that is never missing.
#[derive(Debug)]
pub struct Present;

impl CertainPresence for Present {}

/// Marks at the type level a value that may be missing.
#[derive(Debug)]
pub struct MaybeMissing;

tiers! {
    presence {
        /// The presence of a type that is not an `Option`.
        PlainPresence: [T: ?Sized] Place<'a, T> => &'static Present, |_| &Present;
    }
}

/// An `Option`, or a pointer to one.
///
/// The marker is an associated type. rustc cannot resolve it for a type that already has an error,
/// so it does not report a second error.
pub trait Optional {
    /// The marker type.
    type Presence: 'static;
    /// The value of the marker type.
    const PRESENCE: &'static Self::Presence;
}

impl<T> Optional for Option<T> {
    type Presence = MaybeMissing;
    const PRESENCE: &'static MaybeMissing = &MaybeMissing;
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: Optional + ?Sized> Optional for $pointer {
            type Presence = T::Presence;
            const PRESENCE: &'static T::Presence = T::PRESENCE;
        }
    )*};
}

pointers!(&T Box<T> Rc<T> Arc<T>);

impl<T: Optional + ?Sized> Place<'_, T> {
    /// Returns the marker of a value that may be missing.
    pub fn presence(self) -> &'static T::Presence {
        T::PRESENCE
    }
}
