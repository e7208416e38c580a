//! The requirement for the answer, from the slots for the output.

use crate::error::{Error, ErrorKind};
use crate::schema::shape::{OutputFormat, Requirement, Shape};
use crate::value::Value;

use super::layout::Layout;
use super::references;
use super::shape_value::shape_of;
use super::slot::Slot;
use super::store::MergedSlots;
use super::yaml;

/// The requirement of the slots for the output.
#[derive(Debug)]
pub(super) enum OutputRequirement {
    /// There is none.
    None,
    /// There is this one.
    Some(Box<Requirement>),
}

impl OutputRequirement {
    /// Reads the slots.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] for an invalid or unsupported format, and for an output
    /// with an invalid notation of a shape.
    pub(super) fn of(slots: &MergedSlots) -> Result<Self, Error> {
        let format = match slots.get(Slot::OutputFormat) {
            Some(value) => Some(OutputFormat::from_name(&format_name(value)?)?),
            None => None,
        };
        let shape = match (&slots.output, slots.shown(Slot::Output)) {
            (Some(shape), _) => shape.clone(),
            (None, Some(value)) => shape_of(value, Slot::Output)?,
            (None, None) => return Ok(Self::None),
        };
        let requirement = match format {
            Some(format) => Requirement::new(shape, format),
            // Models write a string without a requirement.
            None if shape == Shape::text() => return Ok(Self::None),
            None => Requirement::of(shape),
        };
        Ok(Self::Some(Box::new(requirement)))
    }

    pub(super) fn is_some(&self) -> bool {
        matches!(self, Self::Some(_))
    }

    /// The block of the requirement, without its last line break; `None` if there is no block.
    pub(super) fn block(&self, layout: &Layout) -> Option<String> {
        let Self::Some(requirement) = self else { return None };
        let title = layout.title(Slot::OutputFormat);
        let mut text = requirement.as_ref().clone().with_title(title).to_string();
        if layout.reads_references() {
            text = references::resolve_text(&text, layout);
        }
        (!text.is_empty()).then(|| text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }
}

/// The name of a format: a string, or another scalar as a word.
fn format_name(value: &Value) -> Result<String, Error> {
    match value {
        Value::String(name) => Ok(String::from(&**name)),
        Value::Array(_) | Value::Object(_) => {
            let slot = Slot::OutputFormat;
            let message =
                format!("in the slot `{slot}`: expected a name, found {}", value.kind_name());
            Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("use `json`, `markdown` or `text`"))
        }
        other => Ok(yaml::word(other)),
    }
}
