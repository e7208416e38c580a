//! The budget of a grammar. All work that grows with the schemas, the tools or the format is paid
//! for here before it is done.

use crate::grammar::Result;
use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// The steps that building a grammar may take. One step builds about one part of an expression. It
/// takes some bytes and much less than a microsecond.
pub(super) const MOST_STEPS: usize = 4_000_000;

/// The steps of reading one schema and building its rule, without its strings and lists.
pub(super) const PER_SCHEMA: usize = 32;

/// The steps of writing one value of an `enum`, or one part of it, without its string.
pub(super) const PER_VALUE: usize = 8;

/// The steps of one item of a list that is read, compared or copied.
pub(super) const PER_ITEM: usize = 1;

/// The steps of one character of a name from which other names must differ. Each character has a
/// choice of the characters that may replace it.
pub(super) const PER_DIFFERENCE: usize = 24;

/// The steps of one part of a regular expression. Its class is looked up for each character that
/// JSON escapes.
pub(super) const PER_PATTERN_PART: usize = 16;

/// The steps of one digit of a bound.
pub(super) const PER_DIGIT: usize = 8;

/// The steps of the rules of a tool's calls, without those of its arguments.
pub(super) const PER_TOOL: usize = 256;

/// The bytes of a string that are read, compared or copied in one step.
const BYTES_PER_STEP: usize = 4;

/// The steps that a grammar may still take.
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
    /// Pays for steps before they are done.
    ///
    /// # Errors
    /// Returns an error of the kind [`ErrorKind::Limit`] if too few steps are left. The error has
    /// no place.
    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        add_steps(steps.min(self.left));
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or_default();
        left.map(|_| ()).ok_or_else(too_large)
    }

    /// Pays for steps of a schema. An error has the schema's place.
    pub(super) fn spend_at(&mut self, steps: usize, place: impl FnOnce() -> String) -> Result<()> {
        self.spend(steps).map_err(|error| error.with_place(Place::named(place())))
    }

    /// A budget for steps that were paid for elsewhere.
    pub(super) fn unlimited() -> Self {
        Self { left: usize::MAX }
    }
}

/// The steps of reading, comparing or copying a string.
pub(super) fn text_steps(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_STEP)
}

/// The steps of reading complete values.
pub(super) fn value_steps(values: &[Value]) -> usize {
    let of_value = |value: &Value| match value {
        Value::String(text) => text_steps(text),
        Value::Array(items) => value_steps(items),
        Value::Object(map) => {
            let entries = map.iter();
            entries.map(|(name, it)| text_steps(name) + value_steps(std::slice::from_ref(it))).sum()
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => 0,
    };
    values.iter().map(|value| PER_ITEM + of_value(value)).sum()
}

fn too_large() -> Error {
    let message =
        format!("the grammar is too large: building it takes more than {MOST_STEPS} steps");
    let help =
        "offer fewer tools, remove unused definitions, list fewer values, or simplify the schemas";
    Error::new(ErrorKind::Limit, message).with_help(help)
}
