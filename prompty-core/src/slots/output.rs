//! The requirement for the answer, from the slots for the output.

use crate::error::Error;
use crate::schema::shape::{OutputFormat, Requirement, Shape};
use crate::value::Value;

use super::layout::Layout;
use super::references;
use super::shape_value::shape_of;
use super::slot::{Slot, error_in_slot};
use super::store::MergedSlots;
use super::yaml;

/// Reads the requirement from the slots for the output.
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`](crate::error::ErrorKind::WrongInput) for an invalid or
/// unsupported format, and for an output with an invalid notation of a shape.
pub(super) fn requirement_of(slots: &MergedSlots) -> Result<Option<Requirement>, Error> {
    let format = match slots.get(Slot::OutputFormat) {
        Some(value) => Some(OutputFormat::from_name(&format_name(value)?)?),
        None => None,
    };
    let shape = match (&slots.output, slots.shown(Slot::Output)) {
        (Some(shape), _) => shape.clone(),
        (None, Some(value)) => shape_of(value, Slot::Output)?,
        (None, None) => return Ok(None),
    };
    Ok(match format {
        Some(format) => Some(Requirement::new(shape, format)),
        // A model answers with text anyway, so the prompt need not ask for a string.
        None if shape == Shape::text() => None,
        None => Some(Requirement::of(shape)),
    })
}

/// The block of a requirement, without its last line break; `None` if there is no block.
pub(super) fn requirement_block(requirement: &Requirement, layout: &Layout) -> Option<String> {
    let title = layout.title(Slot::OutputFormat);
    let mut text = requirement.clone().with_title(title).to_string();
    if layout.slot_references {
        text = references::resolve_text(&text, layout);
    }
    (!text.is_empty()).then(|| text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// The name of a format: a string, or another scalar as a word.
fn format_name(value: &Value) -> Result<String, Error> {
    match value {
        Value::String(name) => Ok(String::from(&**name)),
        Value::Array(_) | Value::Object(_) => {
            let problem = format!("expected a name, found {}", value.kind_name());
            Err(error_in_slot(Slot::OutputFormat, &problem)
                .with_help("use `json`, `markdown` or `text`"))
        }
        other => Ok(yaml::word(other)),
    }
}
