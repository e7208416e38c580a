//! String formatting: `"%s" | format(x)` and `"{}".format(x)`. The budget is charged.
//!
//! [`prompty_template::jinja::format`] parses the format strings, and calls the methods of a
//! [`Filler`] to find values and to write pieces. Values are inserted as they print in prompts.

use std::borrow::Cow;

use minijinja::Error as EngineError;
use minijinja::value::{Value as EngineValue, ValueKind};

use super::bridge::EngineResult;
use super::budget::Meter;
use super::builtin_arguments::BuiltinArguments;
use super::costs::{ITEM, text_room};
use super::filters::text_from_value;
use prompty_core::value::Value;
use prompty_core::work::add_steps;
use prompty_template::jinja::format::{
    Filler, FormatError, Step, Subject, fill_braces, fill_percent,
};

/// The cost of writing a digit. It is computed, which takes longer than a copy.
const DIGIT: usize = 8;

/// The filter `format`, with placeholders such as `%s` and `%(name)d`.
pub(super) fn format_percent(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    meter.charge_read_bytes(text.len())?;
    let mut filler = EngineFiller { meter, arguments, text: String::new() };
    let used = fill_percent(&mut filler, &text)?;
    match arguments.positional.get(used) {
        Some(_) => Err(filler.refuse(&FormatError::TooMany)),
        None => Ok(EngineValue::from(filler.text)),
    }
}

/// The method `format`, with placeholders such as `{}`, `{0}` and `{name.part:>8}`.
pub(super) fn format_braces(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    meter.charge_read_bytes(text.len())?;
    let mut filler = EngineFiller { meter, arguments, text: String::new() };
    fill_braces(&mut filler, text)?;
    Ok(EngineValue::from(filler.text))
}

/// Formats values of the engine and charges the budget.
struct EngineFiller<'f, 'm, 's, 'env> {
    meter: &'f mut Meter<'m, 's, 'env>,
    arguments: &'f BuiltinArguments<'f>,
    text: String,
}

impl Filler for EngineFiller<'_, '_, '_, '_> {
    type Value = EngineValue;
    type Fault = EngineError;

    fn by_number(&mut self, index: usize) -> EngineResult<Option<EngineValue>> {
        Ok(self.arguments.positional.get(index).cloned())
    }

    fn by_name(&mut self, name: &str) -> EngineResult<Option<EngineValue>> {
        Ok(self.arguments.by_name(name))
    }

    fn part(&mut self, value: &EngineValue, step: Step<'_>) -> EngineResult {
        match step {
            Step::Attribute(name) | Step::Key(name) => {
                self.meter.charge_read_bytes(name.len())?;
                value.get_attr(name)
            }
            Step::Index(number) => match usize::try_from(number) {
                Ok(place) => value.get_item(&EngineValue::from(place)),
                Err(_) => Err(self.arguments.error(&format!("did not find the item {number}"))),
            },
        }
    }

    fn subject(&self, value: &EngineValue) -> Subject {
        match value.kind() {
            ValueKind::Bool => Subject::Boolean(value.is_true()),
            ValueKind::String => Subject::Text,
            ValueKind::Number if value.is_integer() => {
                i128::try_from(value.clone()).map_or(Subject::Other, Subject::Integer)
            }
            ValueKind::Number => {
                f64::try_from(value.clone()).map_or(Subject::Other, Subject::Float)
            }
            _ => Subject::Other,
        }
    }

    fn text<'v>(&mut self, value: &'v EngineValue) -> EngineResult<Cow<'v, str>> {
        text_from_value(self.meter, value)
    }

    /// A value as JSON, for placeholders that use Python's `repr`.
    fn literal<'v>(&mut self, value: &'v EngineValue) -> EngineResult<Cow<'v, str>> {
        match value.as_str() {
            Some(text) => {
                // An escaped character has at most six bytes: `\u0000`.
                self.meter.charge(text_room(text.len().saturating_mul(6)))?;
                Ok(Cow::Owned(Value::from(text).to_json()))
            }
            None => text_from_value(self.meter, value),
        }
    }

    fn float(&self, number: f64) -> String {
        Value::Float(number).to_string()
    }

    /// Charges for reading a piece, and for looking up and classifying its value.
    fn pay_piece(&mut self) -> EngineResult<()> {
        self.meter.charge_read_bytes(2 * ITEM)
    }

    fn pay_digits(&mut self, digits: usize) -> EngineResult<()> {
        self.meter.charge(digits.saturating_mul(DIGIT))
    }

    fn push(&mut self, piece: &str) -> EngineResult<()> {
        self.meter.charge(text_room(piece.len()))?;
        add_steps(piece.len());
        self.text.push_str(piece);
        Ok(())
    }

    fn repeat(&mut self, fill: char, times: usize) -> EngineResult<()> {
        self.meter.charge(times.saturating_mul(fill.len_utf8()))?;
        add_steps(times);
        self.text.extend(std::iter::repeat_n(fill, times));
        Ok(())
    }

    fn refuse(&self, wrong: &FormatError) -> EngineError {
        self.arguments.error(&format!("cannot format the string: {wrong}"))
    }
}
