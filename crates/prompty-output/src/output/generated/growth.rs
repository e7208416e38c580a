//! What the derive of `Partial` calls.

use prompty_core::value::Value;
use serde::de::DeserializeOwned;

use crate::output::Step;
pub use crate::output::partial::{Change, Growable, Growth, Partial, Readable};

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
pub fn take_whole<T: DeserializeOwned>(field: &mut Option<T>, steps: &[Step], change: &Change<'_>) {
    if let (None, [], Change::Done(Some(value))) = (&field, steps, change) {
        *field = Value::deserialize_in_place(value).ok();
    }
}
