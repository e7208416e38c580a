//! Functions that the code of `#[derive(Prompt)]` calls for its fields.
//!
//! The generated code fills ordinary `Slots`. Rules of slots belong here or in `declaration`, and
//! not in the macro, so that prompts of structs and of values behave in the same way.

use crate::error::Error;
use crate::message::{ContentPart, Message, ThreadRoles};
use crate::schema::shape::Shape;
use crate::value::{Map, Value};

use super::placeholders::{UnknownPlaceholder, fill};
use super::store::Slots;
use super::tool::SlotTool;
use super::yaml;

/// The same slots with a text of the author, whose placeholders are filled with values.
///
/// # Errors
///
/// Returns the errors of [`fill`].
pub fn with_text<'p>(
    slots: Slots<'p>,
    name: &str,
    text: &str,
    values: &Map,
) -> Result<Slots<'p>, Error> {
    let filled = fill(&Value::from(text), values, UnknownPlaceholder::Refuse)?;
    Ok(slots.with(name, with_block(filled)))
}

/// The same slots with a value. `null` does not change the slot.
#[must_use]
pub fn with_value<'p>(slots: Slots<'p>, name: &str, value: Value) -> Slots<'p> {
    if value.is_null() { slots } else { slots.with(name, with_block(value)) }
}

/// Converts zero and `false` to words, because these values have no block.
fn with_block(value: Value) -> Value {
    match value {
        Value::Bool(_) | Value::Integer(_) | Value::Float(_) if !value.is_true() => {
            Value::from(yaml::word(&value))
        }
        value => value,
    }
}

/// The same slots with an earlier conversation. The name is for error messages.
///
/// # Errors
///
/// Returns the errors of [`ThreadRoles::check`].
pub fn with_history<'p>(
    slots: Slots<'p>,
    name: &str,
    thread: &[Message],
    roles: &ThreadRoles,
) -> Result<Slots<'p>, Error> {
    roles.check(name, thread)?;
    Ok(slots.with_thread(thread))
}

/// The same slots with further attachments after the existing ones.
#[must_use]
pub fn with_attachments(slots: Slots<'_>, attachments: Vec<ContentPart>) -> Slots<'_> {
    attachments.into_iter().fold(slots, Slots::with_part)
}

/// The same slots with further tools after the existing ones.
#[must_use]
pub fn with_tools(slots: Slots<'_>, tools: Vec<SlotTool>) -> Slots<'_> {
    tools.into_iter().fold(slots, Slots::with_tool)
}

/// The same slots with the shape of the answer, if there is one.
#[must_use]
pub fn with_answer(slots: Slots<'_>, shape: Option<Shape>) -> Slots<'_> {
    match shape {
        Some(shape) => slots.with_output(shape),
        None => slots,
    }
}
