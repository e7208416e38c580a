//! Functions that the code of `#[derive(Partial)]` calls.

use prompty_core::value::Value;
use serde::de::DeserializeOwned;

use crate::output::Step;
pub use crate::output::partial::{Change, Growable, Growth, Partial, Readable};

/// The first step as a key, and the steps after it.
#[must_use]
pub fn entry(steps: &[Step]) -> Option<(&str, &[Step])> {
    match steps.split_first() {
        Some((Step::Key(key), rest)) => Some((key, rest)),
        _ => None,
    }
}

/// Applies a change to a field.
pub fn apply<T: Growable>(field: &mut Partial<T>, steps: &[Step], change: &Change<'_>) {
    field.apply(steps, change);
}

/// Applies a change to a field that is present only when it is complete.
pub fn apply_complete<T: DeserializeOwned>(
    field: &mut Option<T>,
    steps: &[Step],
    change: &Change<'_>,
) {
    if let (None, [], Change::Done(Some(value))) = (&field, steps, change) {
        *field = Value::deserialize_in_place(value).ok();
    }
}
