//! What a prompt of slots says of the answer: the requirement that the slots for the output make.

use crate::error::{Error, ErrorKind};
use crate::schema::shape::{OutputFormat, Requirement, Shape};
use crate::value::Value;

use super::layout::Layout;
use super::references;
use super::shown::shape_of;
use super::slot::Slot;
use super::store::Merged;
use super::yaml;

/// What stands in the slots for the output.
#[derive(Debug)]
pub(super) enum Output {
    /// Nothing is said of the answer.
    Unsaid,
    /// This is said.
    Required(Box<Requirement>),
}

impl Output {
    /// The output of slots.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] for a format that is no text, or that we do not have, and for an output that
    /// is no notation of a shape.
    pub(super) fn of(slots: &Merged) -> Result<Self, Error> {
        let format = match slots.get(Slot::OutputFormat) {
            Some(value) => Some(OutputFormat::from_name(&format_name(value)?)?),
            None => None,
        };
        let shape = match (&slots.output, slots.shown(Slot::Output)) {
            (Some(shape), _) => shape.clone(),
            (None, Some(value)) => shape_of(value, Slot::Output)?,
            (None, None) => return Ok(Self::Unsaid),
        };
        let requirement = match format {
            Some(format) => Requirement::new(shape, format),
            // A text is what a model writes anyway.
            None if shape == Shape::text() => return Ok(Self::Unsaid),
            None => Requirement::of(shape),
        };
        Ok(Self::Required(Box::new(requirement)))
    }

    pub(super) fn is_said(&self) -> bool {
        matches!(self, Self::Required(_))
    }

    /// The block of the requirement, without its last line break; nothing where there is none.
    pub(super) fn block(&self, layout: &Layout) -> Option<String> {
        let Self::Required(requirement) = self else { return None };
        let title = layout.title(Slot::OutputFormat);
        let mut text = requirement.as_ref().clone().with_title(title).to_string();
        if layout.reads_references() {
            text = references::resolve_text(&text, layout);
        }
        (!text.is_empty()).then(|| text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }
}

fn format_name(value: &Value) -> Result<String, Error> {
    match value {
        Value::String(name) => Ok(String::from(&**name)),
        Value::Array(_) | Value::Object(_) => {
            let slot = Slot::OutputFormat;
            let message =
                format!("in the slot `{slot}`: expected a name, found {}", value.kind_name());
            Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("write `json`, `markdown` or `text`"))
        }
        other => Ok(yaml::word(other)),
    }
}
