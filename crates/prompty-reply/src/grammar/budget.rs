//! The budget of a grammar: everything that grows with schemas, tools or the format is paid for here
//! before it is made.

use crate::grammar::Result;
use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// The steps that the making of a grammar may take. A step is about what it takes to make one part of
/// an expression: some bytes, and well below a microsecond.
pub(super) const MOST_STEPS: usize = 4_000_000;

/// The steps of reading one schema and of making the rule of it, without its texts and its lists.
pub(super) const PER_SCHEMA: usize = 32;

/// The steps of writing one value of an `enum`, or one part of it, without its text.
pub(super) const PER_VALUE: usize = 8;

/// The steps of one item of a list that is read, compared or copied.
pub(super) const PER_ITEM: usize = 1;

/// The steps of one character of a name that other names must differ from: each has a choice of what
/// may stand in its place.
pub(super) const PER_DIFFERENCE: usize = 24;

/// The steps of one part of a regular expression: its class is looked up for each character that JSON
/// escapes.
pub(super) const PER_PATTERN_PART: usize = 16;

/// The steps of one digit of a bound.
pub(super) const PER_DIGIT: usize = 8;

/// The steps of the rules that the calls of a tool have, without those of its arguments.
pub(super) const PER_TOOL: usize = 256;

/// Bytes of a text that are read, compared or copied in a step.
const BYTES_PER_STEP: usize = 4;

/// The steps that a grammar may yet take.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: MOST_STEPS }
    }
}

impl Budget {
    /// Pays for so many steps before they are made.
    ///
    /// # Errors
    /// With [`ErrorKind::Limit`] where there are not so many left. The error has no place.
    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        add_steps(steps.min(self.left));
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(too_large())
            }
        }
    }

    /// Pays for so many steps of what stands at a place.
    pub(super) fn spend_at(&mut self, steps: usize, place: impl FnOnce() -> String) -> Result<()> {
        self.spend(steps).map_err(|error| error.with_place(Place::named(place())))
    }

    /// A budget for what was paid for elsewhere.
    pub(super) fn unlimited() -> Self {
        Self { left: usize::MAX }
    }
}

/// The steps of reading, comparing or copying a text.
pub(super) fn of_text(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_STEP)
}

/// The steps of reading values whole.
pub(super) fn of_values(values: &[Value]) -> usize {
    let of_value = |value: &Value| match value {
        Value::String(text) => of_text(text),
        Value::Array(items) => of_values(items),
        Value::Object(map) => {
            let entries = map.iter();
            entries.map(|(name, it)| of_text(name) + of_values(std::slice::from_ref(it))).sum()
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => 0,
    };
    values.iter().map(|value| PER_ITEM + of_value(value)).sum()
}

fn too_large() -> Error {
    let message = format!("the grammar is too large: it would take more than {MOST_STEPS} steps");
    let help = "offer fewer tools, leave definitions out that are not needed, list fewer values, or \
                say less of them";
    Error::new(ErrorKind::Limit, message).with_help(help)
}
