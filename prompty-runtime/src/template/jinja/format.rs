//! Texts with places for values, `"%s" | format(x)` and `"{}".format(x)`, filled with values and paid
//! for. How the texts are read, and what numbers look like, is in [`prompty_core::jinja::format`]; all
//! other values stand in their places as they print in prompts.

use std::borrow::Cow;

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, State};

use super::budget::Budget;
use super::costs::{ITEM, text_room};
use super::filters::text_from_value;
use super::given::Given;
use prompty_core::jinja::format::{
    BracePiece, Digits, Number, Path, PercentPiece, Root, Spec, Step, brace_pieces, percent_pieces,
};
use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// What it costs to write a digit.
const DIGIT: usize = 8;

/// The filter `format`: places such as `%s` and `%(name)d`.
pub(super) fn percent(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
    given: &Given<'_>,
) -> Result<EngineValue, EngineError> {
    let text = text_from_value(budget, state, value)?;
    budget.read_bytes(state, text.len())?;
    let mut out = Filled::new(budget);
    let mut values = given.positional.iter();
    for piece in percent_pieces(&text) {
        match piece {
            PercentPiece::Text(text) => out.push(state, text)?,
            PercentPiece::Place { name: Some(name), spec } => {
                let value = given.by_name(name);
                let value = value.ok_or_else(|| missing(given, &format!("%({name})")))?;
                out.place(state, given, &value, &spec)?;
            }
            PercentPiece::Place { name: None, spec } => {
                let value = values.next();
                let value =
                    value.ok_or_else(|| given.refused("gets fewer values than places for them"))?;
                out.place(state, given, value, &spec)?;
            }
        }
    }
    match values.next() {
        Some(_) => Err(given.refused("gets more values than places for them")),
        None => Ok(out.finish()),
    }
}

/// The method `format`: places such as `{}`, `{0}` and `{name.part:>8}`.
pub(super) fn braces(
    budget: Budget,
    state: &mut State<'_, '_>,
    text: &str,
    given: &Given<'_>,
) -> Result<EngineValue, EngineError> {
    budget.read_bytes(state, text.len())?;
    let mut out = Filled::new(budget);
    for piece in brace_pieces(text) {
        match piece {
            BracePiece::Text(text) => out.push(state, text)?,
            BracePiece::Alone => return Err(given.refused("finds a brace that stands alone")),
            BracePiece::Place { field, root, path, conversion, spec } => {
                let value = match root {
                    Root::Index(index) => given.positional.get(index).cloned(),
                    Root::Name(name) => given.by_name(name),
                };
                let value = value.ok_or_else(|| missing(given, &format!("{{{field}}}")))?;
                let value = part(budget, state, given, value, path)?;
                match conversion {
                    None => out.place(state, given, &value, &spec)?,
                    Some(conversion) => {
                        let text = match conversion {
                            'r' => literal(budget, state, &value)?,
                            _ => text_from_value(budget, state, &value)?,
                        };
                        out.place(state, given, &EngineValue::from(&*text), &spec)?;
                    }
                }
            }
        }
    }
    Ok(out.finish())
}

fn missing(given: &Given<'_>, place: &str) -> EngineError {
    // What comes from a template may be long.
    let shown: String = place.chars().take(60).collect();
    given.refused(&format!("gets no value for the place `{shown}`"))
}

/// The part of a value that `.attribute` and `[item]` lead to.
fn part(
    budget: Budget,
    state: &mut State<'_, '_>,
    given: &Given<'_>,
    value: EngineValue,
    path: Path<'_>,
) -> Result<EngineValue, EngineError> {
    let mut value = value;
    for step in path {
        budget.read_bytes(state, ITEM)?;
        value = match step {
            Step::Attribute(name) | Step::Key(name) => {
                budget.read_bytes(state, name.len())?;
                value.get_attr(name)?
            }
            Step::Index(number) => {
                let place = usize::try_from(number).ok();
                let place = place.ok_or_else(|| given.refused("finds no item of that number"))?;
                value.get_item(&EngineValue::from(place))?
            }
            Step::Broken => return Err(given.refused("finds a place that is not closed")),
        };
    }
    Ok(value)
}

/// A value as JSON writes it, where Python's `repr` is asked for.
fn literal<'v>(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &'v EngineValue,
) -> Result<Cow<'v, str>, EngineError> {
    match value.as_str() {
        Some(text) => {
            // A letter is six at the most: `\u0000`.
            budget.charge(state, text_room(text.len().saturating_mul(6)))?;
            Ok(Cow::Owned(Value::from(text).to_json()))
        }
        None => text_from_value(budget, state, value),
    }
}

/// The text as far as it is filled.
struct Filled {
    budget: Budget,
    text: String,
}

impl Filled {
    fn new(budget: Budget) -> Self {
        Self { budget, text: String::new() }
    }

    fn finish(self) -> EngineValue {
        EngineValue::from(self.text)
    }

    fn push(&mut self, state: &mut State<'_, '_>, piece: &str) -> Result<(), EngineError> {
        self.budget.charge(state, text_room(piece.len()))?;
        add_steps(piece.len());
        self.text.push_str(piece);
        Ok(())
    }

    fn repeat(
        &mut self,
        state: &mut State<'_, '_>,
        fill: char,
        times: usize,
    ) -> Result<(), EngineError> {
        self.budget.charge(state, times.saturating_mul(fill.len_utf8()))?;
        add_steps(times);
        self.text.extend(std::iter::repeat_n(fill, times));
        Ok(())
    }

    /// Writes a value into its place.
    fn place(
        &mut self,
        state: &mut State<'_, '_>,
        given: &Given<'_>,
        value: &EngineValue,
        spec: &Spec,
    ) -> Result<(), EngineError> {
        self.budget.read_bytes(state, ITEM)?;
        let wants_text = spec.wants_text(value.as_str().is_some());
        let number = if wants_text { None } else { number(value, spec) };
        let (sign, body) = match number {
            Some(number) => {
                self.budget.charge(state, spec.precision().saturating_mul(DIGIT))?;
                let Digits { sign, text } =
                    spec.digits(number, |float| Value::Float(float).to_string());
                (sign, Cow::Owned(text))
            }
            None if wants_text || spec.takes_text() => {
                let text = match spec.wants_literal() {
                    true => literal(self.budget, state, value)?,
                    false => text_from_value(self.budget, state, value)?,
                };
                let kept = spec.cut(&text).map(str::to_owned);
                ("", kept.map_or(text, Cow::Owned))
            }
            None => return Err(given.refused("finds a value that is not a number in its place")),
        };
        self.budget.read_bytes(state, body.len())?;
        let padding = spec.padding(sign.len() + body.chars().count(), number.is_some());
        self.repeat(state, padding.fill, padding.before)?;
        self.push(state, sign)?;
        self.repeat(state, padding.fill, padding.between)?;
        self.push(state, &body)?;
        self.repeat(state, padding.fill, padding.behind)
    }
}

/// The number that a value is in its place. `true` is 1 where a number is asked for.
fn number(value: &EngineValue, spec: &Spec) -> Option<Number> {
    match value.kind() {
        ValueKind::Bool if spec.is_open() => None,
        ValueKind::Bool => Some(Number::Integer(i128::from(value.is_true()))),
        ValueKind::Number if value.is_integer() => {
            i128::try_from(value.clone()).ok().map(Number::Integer)
        }
        ValueKind::Number => f64::try_from(value.clone()).ok().map(Number::Float),
        _ => None,
    }
}
