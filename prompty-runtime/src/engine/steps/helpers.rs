//! The helpers of Handlebars: what they compute from their arguments.

use std::cmp::Ordering;

use crate::engine::RenderFailure;
use crate::engine::budget::Budget;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::tree::BinaryOperator;

/// More numbers than a `range` may have.
const RANGE: usize = 100_000;
/// What a number in a list takes up.
const NUMBER: usize = 32;

/// Why a helper gives nothing.
pub(super) enum Wrong {
    Arguments(String),
    Failure(RenderFailure),
}

impl Wrong {
    /// The failure of a helper that is called at a place.
    pub(super) fn at(self, span: TemplateSpan) -> RenderFailure {
        match self {
            Self::Arguments(message) => {
                RenderFailure::new(Error::new(ErrorKind::Render, message), Some(span))
            }
            Self::Failure(failure) => failure,
        }
    }
}

impl From<RenderFailure> for Wrong {
    fn from(failure: RenderFailure) -> Self {
        Self::Failure(failure)
    }
}

/// A comparison of two values.
pub(super) fn compared(
    budget: &mut Budget,
    operator: BinaryOperator,
    left: &Value,
    right: &Value,
) -> Result<Value, Wrong> {
    if operator == BinaryOperator::Equal {
        return Ok(Value::from(same(budget, left, right)?));
    }
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => {
            budget.read(left.len().min(right.len()))?;
            Some(left.cmp(right))
        }
        _ => numbers(left, right).ok_or_else(|| {
            let (left, right) = (left.kind_name(), right.kind_name());
            Wrong::Arguments(format!("{left} and {right} cannot be compared"))
        })?,
    };
    Ok(Value::from(match operator {
        BinaryOperator::Less => order.is_some_and(Ordering::is_lt),
        BinaryOperator::LessOrEqual => order.is_some_and(Ordering::is_le),
        BinaryOperator::Greater => order.is_some_and(Ordering::is_gt),
        BinaryOperator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        _ => return Err(Wrong::Arguments("Handlebars has no such operator".to_owned())),
    }))
}

/// The order of two numbers, if both are; nothing in it where one is no number at all.
fn numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(Some(left.cmp(right))),
        _ => Some(as_float(left)?.partial_cmp(&as_float(right)?)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number with a fraction is not exact either")]
fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// Whether two values are the same, each part of which is paid for.
fn same(budget: &mut Budget, left: &Value, right: &Value) -> Result<bool, RenderFailure> {
    budget.spend(1)?;
    match (left, right) {
        (Value::String(left), Value::String(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            budget.read(left.len())?;
            Ok(left == right)
        }
        (Value::Array(left), Value::Array(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (left, right) in left.iter().zip(right.iter()) {
                if !same(budget, left, right)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(left), Value::Object(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (name, value) in left.iter() {
                budget.read(name.len())?;
                let Some(other) = right.get(name) else { return Ok(false) };
                if !same(budget, value, other)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Null, Value::Null) => Ok(true),
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        _ => Ok(numbers(left, right).flatten() == Some(Ordering::Equal)),
    }
}

/// A call of a helper of the table.
pub(super) fn helper(budget: &mut Budget, name: &str, values: &[Value]) -> Result<Value, Wrong> {
    match (name, values) {
        ("add", [first, others @ ..]) => {
            folded(name, first, others, i128::checked_add, |a, b| a + b)
        }
        ("subtract", [first, others @ ..]) => {
            folded(name, first, others, i128::checked_sub, |a, b| a - b)
        }
        ("concat", values) => {
            let mut text = String::new();
            for value in values {
                text.push_str(&budget.text(value)?);
            }
            Ok(Value::from(text))
        }
        ("log", _) => Ok(Value::Null),
        ("json", [value @ Value::String(_)]) => Ok(value.clone()),
        ("json", [Value::Null]) => Ok(Value::from("null")),
        ("json", [value]) => Ok(Value::from(budget.text(value)?)),
        ("range", [from, to]) => range(budget, from, to),
        ("camelCase" | "camel_case", [value]) => Ok(Value::from(camel_case(&budget.text(value)?))),
        ("snakeCase" | "snake_case", [value]) => {
            let text = budget.text(value)?;
            budget.build(text.len())?;
            Ok(Value::from(snake_case(&text)))
        }
        (name, values) => {
            let known = prompty_template::handlebars::helpers::find(name).is_some();
            Err(Wrong::Arguments(match known {
                true => format!("`{name}` does not take {} arguments", values.len()),
                false => format!("unknown helper `{name}`"),
            }))
        }
    }
}

fn folded(
    name: &str,
    first: &Value,
    others: &[Value],
    whole: fn(i128, i128) -> Option<i128>,
    fraction: fn(f64, f64) -> f64,
) -> Result<Value, Wrong> {
    let wrong = |value: &Value| {
        Wrong::Arguments(format!("`{name}` needs numbers, and gets: {}", value.kind_name()))
    };
    let mut result = first.clone();
    as_float(first).ok_or_else(|| wrong(first))?;
    for value in others {
        result = match (&result, value) {
            (Value::Integer(left), Value::Integer(right)) => {
                let message = || Wrong::Arguments(format!("what `{name}` gives is too large"));
                Value::Integer(whole(*left, *right).ok_or_else(message)?)
            }
            (left, right) => {
                let left = as_float(left).ok_or_else(|| wrong(left))?;
                let right = as_float(right).ok_or_else(|| wrong(right))?;
                Value::from(fraction(left, right))
            }
        };
    }
    Ok(result)
}

/// The whole numbers from one up to another, both included.
fn range(budget: &mut Budget, from: &Value, to: &Value) -> Result<Value, Wrong> {
    let (Value::Integer(from), Value::Integer(to)) = (from, to) else {
        return Err(Wrong::Arguments("`range` needs two whole numbers".to_owned()));
    };
    let count = to.checked_sub(*from).and_then(|distance| distance.checked_add(1));
    let count = count.map(|count| usize::try_from(count.max(0)).unwrap_or(usize::MAX));
    match count {
        Some(count) if count <= RANGE => {
            budget.build(count.saturating_mul(NUMBER))?;
            Ok(Value::from((*from..=*to).map(Value::Integer).collect::<Vec<_>>()))
        }
        _ => Err(Wrong::Arguments(format!("a `range` of more than {RANGE} numbers"))),
    }
}

/// `some_name` as `SomeName`.
fn camel_case(text: &str) -> String {
    let words = text.split(|next: char| next == '_' || next == '-' || next.is_whitespace());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters)
        })
        .collect()
}

/// `SomeName` as `some_name`.
fn snake_case(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut is_first = true;
    for letter in text.chars() {
        if letter.is_uppercase() && !is_first && !result.ends_with('_') {
            result.push('_');
        }
        is_first = false;
        match letter {
            ' ' | '-' => result.push('_'),
            letter => result.extend(letter.to_lowercase()),
        }
    }
    result
}
