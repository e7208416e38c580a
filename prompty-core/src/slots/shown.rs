//! The shape of what a model must write, out of a value that shows it.

use crate::error::{Error, ErrorKind};
use crate::schema::shape::Shape;
use crate::value::Value;

use super::slot::Slot;

/// The shape that a value in a slot shows, by the notation of [`Shape::from_notation`].
///
/// # Errors
///
/// Those of the notation, with the slot.
pub(super) fn shape_of(value: &Value, slot: Slot) -> Result<Shape, Error> {
    Shape::from_notation(value).map_err(|error| {
        let message = format!("in the slot `{slot}`: {error}");
        Error::new(ErrorKind::WrongInput, message).with_help_of(error.help())
    })
}
