//! Reads the shape in a slot.

use crate::error::{Error, ErrorKind};
use crate::schema::shape::Shape;
use crate::value::Value;

use super::slot::Slot;

/// Reads a value in a slot as a shape, in the notation of [`Shape::from_notation`].
///
/// # Errors
///
/// Returns the errors of the notation, with the name of the slot.
pub(super) fn shape_of(value: &Value, slot: Slot) -> Result<Shape, Error> {
    Shape::from_notation(value).map_err(|error| {
        let message = format!("in the slot `{slot}`: {error}");
        Error::new(ErrorKind::WrongInput, message).with_help_of(error.help())
    })
}
