//! Texts with places for values, `"%s" | format(x)` and `"{}".format(x)`, filled with values and paid
//! for. How the texts are read and filled is in [`prompty_template::jinja::format`]; values stand in their
//! places as they print in prompts.

use std::borrow::Cow;

use minijinja::Error as EngineError;
use minijinja::value::{Value as EngineValue, ValueKind};

use super::bridge::EngineResult;
use super::budget::Meter;
use super::costs::{ITEM, text_room};
use super::filters::text_from_value;
use super::given::Given;
use prompty_core::value::Value;
use prompty_core::work::add_steps;
use prompty_template::jinja::format::{Filler, Step, Subject, Wrong, fill_braces, fill_percent};

/// What it costs to write a digit.
const DIGIT: usize = 8;

/// The filter `format`: places such as `%s` and `%(name)d`.
pub(super) fn percent(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    given: &Given<'_>,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    meter.read_bytes(text.len())?;
    let mut filling = Filling { meter, given, text: String::new() };
    let used = fill_percent(&mut filling, &text)?;
    match given.positional.get(used) {
        Some(_) => Err(filling.refuse(&Wrong::TooMany)),
        None => Ok(EngineValue::from(filling.text)),
    }
}

/// The method `format`: places such as `{}`, `{0}` and `{name.part:>8}`.
pub(super) fn braces(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>) -> EngineResult {
    meter.read_bytes(text.len())?;
    let mut filling = Filling { meter, given, text: String::new() };
    fill_braces(&mut filling, text)?;
    Ok(EngineValue::from(filling.text))
}

/// A text that is being filled.
struct Filling<'f, 'm, 's, 'env> {
    meter: &'f mut Meter<'m, 's, 'env>,
    given: &'f Given<'f>,
    text: String,
}

impl Filler for Filling<'_, '_, '_, '_> {
    type Value = EngineValue;
    type Fault = EngineError;

    fn by_number(&mut self, index: usize) -> EngineResult<Option<EngineValue>> {
        Ok(self.given.positional.get(index).cloned())
    }

    fn by_name(&mut self, name: &str) -> EngineResult<Option<EngineValue>> {
        Ok(self.given.by_name(name))
    }

    fn part(&mut self, value: &EngineValue, step: Step<'_>) -> EngineResult {
        match step {
            Step::Attribute(name) | Step::Key(name) => {
                self.meter.read_bytes(name.len())?;
                value.get_attr(name)
            }
            Step::Index(number) => match usize::try_from(number) {
                Ok(place) => value.get_item(&EngineValue::from(place)),
                Err(_) => Err(self.given.refused("finds no item of that number")),
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

    /// A value as JSON writes it, where Python's `repr` is asked for.
    fn literal<'v>(&mut self, value: &'v EngineValue) -> EngineResult<Cow<'v, str>> {
        match value.as_str() {
            Some(text) => {
                // A letter is six at the most: `\u0000`.
                self.meter.charge(text_room(text.len().saturating_mul(6)))?;
                Ok(Cow::Owned(Value::from(text).to_json()))
            }
            None => text_from_value(self.meter, value),
        }
    }

    fn float(&self, number: f64) -> String {
        Value::Float(number).to_string()
    }

    /// A piece is read, and the value of its place is looked up and asked what it is.
    fn pay_piece(&mut self) -> EngineResult<()> {
        self.meter.read_bytes(2 * ITEM)
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

    fn refuse(&self, wrong: &Wrong) -> EngineError {
        self.given.refused(&format!("cannot fill its text: {wrong}"))
    }
}
