//! Typed values while they grow: what of a reply's value is absent, growing or done.
//!
//! A stream tells what is new with raw paths. `place` says where that is in the type and fits what is done;
//! `stream` applies it to the one [`Partial`] that it keeps. Nothing is read again, so the work is in
//! proportion to the reply.

mod growth;
mod map;
mod place;
mod stream;
mod types;
mod value;

pub use growth::{Growable, Growth, Partial};
pub use map::GrowingMap;
pub use stream::PartialStream;
pub use value::GrowingValue;

/// What the derive of `Growable` calls.
#[doc(hidden)]
pub mod generated {
    use prompty_core::value::Value;
    use serde::de::DeserializeOwned;

    pub use super::growth::{Change, Growable, Growth, Partial, Readable};
    use crate::output::Step;

    /// The first step as a key, and the steps behind it.
    #[must_use]
    pub fn entry(steps: &[Step]) -> Option<(&str, &[Step])> {
        match steps.split_first() {
            Some((Step::Key(key), rest)) => Some((key, rest)),
            _ => None,
        }
    }

    /// Takes a change of a field.
    pub fn apply<T: Growable>(field: &mut Partial<T>, steps: &[Step], change: &Change<'_>) {
        field.apply(steps, change);
    }

    /// Takes a value that is there only once it is whole.
    pub fn take_whole<T: DeserializeOwned>(
        field: &mut Option<T>,
        steps: &[Step],
        change: &Change<'_>,
    ) {
        if let (None, [], Change::Done(Some(value))) = (&field, steps, change) {
            *field = Value::deserialize_in_place(value).ok();
        }
    }
}
