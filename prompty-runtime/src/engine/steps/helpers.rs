//! The helpers of Handlebars.

use std::cmp::Ordering;

use crate::engine::RenderFailure;
use crate::engine::budget::StepBudget;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::host_functions::argument_count;
use prompty_template::tree::BinaryOperator;

/// The maximum length of a `range`.
const MAX_RANGE: usize = 100_000;
/// The size of a number in a list, in bytes.
const NUMBER_BYTES: usize = 32;

/// The failure of a call whose arguments do not fit.
fn argument_error(
    span: TemplateSpan,
    message: impl Into<String>,
    help: impl Into<String>,
) -> RenderFailure {
    RenderFailure::new(Error::new(ErrorKind::Render, message).with_help(help), Some(span))
}

/// Compares two values.
pub(super) fn compare(
    budget: &mut StepBudget,
    operator: BinaryOperator,
    left: &Value,
    right: &Value,
    span: TemplateSpan,
) -> Result<Value, RenderFailure> {
    if operator == BinaryOperator::Equal {
        return Ok(Value::from(are_equal(budget, left, right)?));
    }
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => {
            budget.charge_read(left.len().min(right.len()))?;
            Some(left.cmp(right))
        }
        _ => compare_numbers(left, right).ok_or_else(|| {
            let (left, right) = (left.kind_name(), right.kind_name());
            argument_error(span, format!("cannot compare {left} with {right}"), "pass two numbers")
        })?,
    };
    Ok(Value::from(match operator {
        BinaryOperator::Less => order.is_some_and(Ordering::is_lt),
        BinaryOperator::LessOrEqual => order.is_some_and(Ordering::is_le),
        BinaryOperator::Greater => order.is_some_and(Ordering::is_gt),
        BinaryOperator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        _ => {
            let message = format!("Handlebars does not have the operator `{}`", operator.as_str());
            return Err(argument_error(span, message, "call a helper, such as `(equals a b)`"));
        }
    }))
}

/// The order of two numbers: `Some(None)` if one is NaN, which has no order, and `None` if one
/// value is not a number.
fn compare_numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
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

/// Whether two values are equal. Charges for each part that is compared.
fn are_equal(budget: &mut StepBudget, left: &Value, right: &Value) -> Result<bool, RenderFailure> {
    budget.spend(1)?;
    match (left, right) {
        (Value::String(left), Value::String(right)) if left.len() == right.len() => {
            budget.charge_read(left.len())?;
            Ok(left == right)
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right.iter()) {
                if !are_equal(budget, left, right)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            for (name, value) in left.iter() {
                budget.charge_read(name.len())?;
                let Some(other) = right.get(name) else { return Ok(false) };
                if !are_equal(budget, value, other)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Null, Value::Null) => Ok(true),
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        // Values of other kinds, or of other lengths, are not equal.
        _ => Ok(compare_numbers(left, right).flatten() == Some(Ordering::Equal)),
    }
}

/// Calls a built-in helper.
pub(super) fn call_helper(
    budget: &mut StepBudget,
    name: &str,
    values: &[Value],
    span: TemplateSpan,
) -> Result<Value, RenderFailure> {
    match (name, values) {
        ("add", [first, others @ ..]) => {
            fold_numbers(name, first, others, i128::checked_add, |a, b| a + b, span)
        }
        ("subtract", [first, others @ ..]) => {
            fold_numbers(name, first, others, i128::checked_sub, |a, b| a - b, span)
        }
        ("concat", values) => {
            let mut text = String::new();
            for value in values {
                text.push_str(&budget.print(value)?);
            }
            Ok(Value::from(text))
        }
        ("log", _) => Ok(Value::Null),
        ("json", [value @ Value::String(_)]) => Ok(value.clone()),
        ("json", [Value::Null]) => Ok(Value::from("null")),
        ("json", [value]) => Ok(Value::from(budget.print(value)?)),
        ("range", [from, to]) => range(budget, from, to, span),
        ("camelCase" | "camel_case", [value]) => Ok(Value::from(camel_case(&budget.print(value)?))),
        ("snakeCase" | "snake_case", [value]) => {
            let text = budget.print(value)?;
            budget.charge_built(text.len())?;
            Ok(Value::from(snake_case(&text)))
        }
        (name, values) => Err(match prompty_template::handlebars::helpers::find(name) {
            Some(helper) => argument_error(
                span,
                format!(
                    "`{name}` takes {}, but the call has {}",
                    argument_count(helper.least, helper.most),
                    values.len()
                ),
                format!("`{name}`: {}", helper.summary),
            ),
            None => argument_error(
                span,
                format!("unknown helper `{name}`"),
                "use a built-in helper, or add the function to the host's registry",
            ),
        }),
    }
}

/// Combines the first number with each of the others. The result is an integer unless a float is
/// involved.
fn fold_numbers(
    name: &str,
    first: &Value,
    others: &[Value],
    on_integers: fn(i128, i128) -> Option<i128>,
    on_floats: fn(f64, f64) -> f64,
    span: TemplateSpan,
) -> Result<Value, RenderFailure> {
    let not_a_number = |value: &Value| {
        argument_error(
            span,
            format!("`{name}` expects numbers, found {}", value.kind_name()),
            "convert the value to a number in the program",
        )
    };
    let mut result = first.clone();
    as_float(first).ok_or_else(|| not_a_number(first))?;
    for value in others {
        result = match (&result, value) {
            (Value::Integer(left), Value::Integer(right)) => {
                let message = || {
                    let message = format!("the result of `{name}` is too large");
                    argument_error(span, message, "use smaller numbers, or floats")
                };
                Value::Integer(on_integers(*left, *right).ok_or_else(message)?)
            }
            (left, right) => {
                let left = as_float(left).ok_or_else(|| not_a_number(left))?;
                let right = as_float(right).ok_or_else(|| not_a_number(right))?;
                Value::from(on_floats(left, right))
            }
        };
    }
    Ok(result)
}

/// The integers from one number up to another, both included.
fn range(
    budget: &mut StepBudget,
    from: &Value,
    to: &Value,
    span: TemplateSpan,
) -> Result<Value, RenderFailure> {
    let (Value::Integer(from), Value::Integer(to)) = (from, to) else {
        return Err(argument_error(
            span,
            "`range` expects two integers",
            "write it as `(range 1 5)`",
        ));
    };
    let count = to.checked_sub(*from).and_then(|distance| distance.checked_add(1));
    let count = count.map(|count| usize::try_from(count.max(0)).unwrap_or(usize::MAX));
    match count {
        Some(count) if count <= MAX_RANGE => {
            budget.charge_built(count.saturating_mul(NUMBER_BYTES))?;
            Ok(Value::from((*from..=*to).map(Value::Integer).collect::<Vec<_>>()))
        }
        _ => {
            let message = format!("`range` has more than {MAX_RANGE} numbers");
            Err(argument_error(span, message, "loop over a list that the program passes"))
        }
    }
}

/// Converts `some_name` into `SomeName`.
fn camel_case(text: &str) -> String {
    let words = text.split(|next: char| next == '_' || next == '-' || next.is_whitespace());
    words
        .flat_map(|word| {
            let mut characters = word.chars();
            let first = characters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(characters)
        })
        .collect()
}

/// Converts `SomeName` into `some_name`.
fn snake_case(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut is_first = true;
    for character in text.chars() {
        if character.is_uppercase() && !is_first && !result.ends_with('_') {
            result.push('_');
        }
        is_first = false;
        match character {
            ' ' | '-' => result.push('_'),
            character => result.extend(character.to_lowercase()),
        }
    }
    result
}
