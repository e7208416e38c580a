//! Whether the type of a place shows that its value may be missing.
//!
//! The checker does not know the fields of foreign structs. Where a template needs such a value and
//! guards it by nothing, the generated code asks for the presence of its type: an `Option` has none,
//! and rustc reports that with the words of the checker.

use std::rc::Rc;
use std::sync::Arc;

use super::place::Place;

/// The presence of a value that is always there.
#[diagnostic::on_unimplemented(
    message = "a value that may be missing is used with no guard and no default",
    label = "may be missing"
)]
pub trait Given {}

/// Marks a value that is always there, at the type level.
#[derive(Debug)]
pub struct Present;

impl Given for Present {}

/// Marks a value that may be missing, at the type level.
#[derive(Debug)]
pub struct MaybeMissing;

/// The presence of a type that is not an `Option`.
pub trait PlainPresence: Sized {
    /// Returns the marker of a value that is always there.
    fn presence(self) -> &'static Present {
        &Present
    }
}

impl<T: ?Sized> PlainPresence for Place<'_, T> {}

/// An `Option`, also behind a pointer.
///
/// The marker is an associated type: of a type that has an error already rustc does not know it, and
/// so reports no second error.
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
