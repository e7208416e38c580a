//! Reads the shape in a slot.
//!
//! The slot `output` contains a `Shape` or its notation. Slots are changed in parts, merged and
//! exported as plain values, so a shape is converted to its notation for that.

use crate::error::Error;
use crate::schema::shape::Shape;
use crate::value::Value;

use super::slot::{Slot, error_in_slot};

/// Reads a value in a slot as a shape, in the notation of [`Shape::from_notation`].
///
/// # Errors
///
/// Returns the errors of the notation, with the name of the slot.
pub(super) fn shape_of(value: &Value, slot: Slot) -> Result<Shape, Error> {
    Shape::from_notation(value)
        .map_err(|error| error_in_slot(slot, &error.to_string()).with_help_of(error.help()))
}
