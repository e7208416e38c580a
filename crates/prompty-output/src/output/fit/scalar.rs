//! Converts numbers, booleans and strings that are written as another kind.

use prompty_core::schema::Kinds;
use prompty_core::value::Value;

use super::{Fitter, Leniency, names};
use crate::output::json::json_number;
use crate::output::repair::RepairKind;

impl Fitter {
    /// Converts a value into a scalar of one of the kinds, if it means one.
    pub(super) fn fit_scalar(&mut self, value: &Value, kinds: Kinds) -> Option<Value> {
        match value {
            Value::Float(number) if kinds.intersects(Kinds::INTEGER) => {
                // A float without a fraction is an integer by the specification.
                let integer = integer_value(*number)?;
                Some(Value::Integer(integer))
            }
            Value::String(text) if self.allows(Leniency::Plain) => {
                self.fit_string_as_scalar(text, kinds)
            }
            _ if self.allows(Leniency::Generous) => self.fit_scalar_of_other_kind(value, kinds),
            _ => None,
        }
    }

    /// Converts a string into a scalar that it contains.
    fn fit_string_as_scalar(&mut self, text: &str, kinds: Kinds) -> Option<Value> {
        let text = text.trim();
        // The period may end a sentence.
        let digits = text.strip_suffix('.').unwrap_or(text);
        if kinds.intersects(Kinds::NUMBER)
            && let Some(number) = number(digits)
            && let Some(number) = of_kind(number, kinds)
        {
            self.record_repair(RepairKind::NumberInText, 2);
            return Some(number);
        }
        if kinds.intersects(Kinds::BOOLEAN)
            && let Some(truth) = truth(text)
        {
            self.record_repair(RepairKind::BooleanInText, 2);
            return Some(Value::Bool(truth));
        }
        if kinds.intersects(Kinds::NULL) && text.eq_ignore_ascii_case("null") {
            self.record_repair(RepairKind::NullInText, 2);
            return Some(Value::Null);
        }
        if self.allows(Leniency::Generous) { self.fit_written_scalar(text, kinds) } else { None }
    }

    /// Converts a string into a scalar that people write differently, such as `yes` or `$5`.
    fn fit_written_scalar(&mut self, text: &str, kinds: Kinds) -> Option<Value> {
        if kinds.intersects(Kinds::BOOLEAN)
            && let Some(truth) = truth_in_words(text)
        {
            self.record_repair(RepairKind::BooleanInText, 3);
            return Some(Value::Bool(truth));
        }
        if kinds.intersects(Kinds::NUMBER)
            && let Some(number) = written_number(text).and_then(|it| of_kind(it, kinds))
        {
            self.record_repair(RepairKind::WrittenNumber, 3);
            return Some(number);
        }
        None
    }

    /// Converts a scalar that is not a string into one of another kind, such as `1` into `true`.
    fn fit_scalar_of_other_kind(&mut self, value: &Value, kinds: Kinds) -> Option<Value> {
        if kinds.intersects(Kinds::STRING)
            && matches!(value, Value::Integer(_) | Value::Float(_) | Value::Bool(_))
        {
            self.record_repair(RepairKind::TextOfScalar, 3);
            return Some(Value::from(value.to_json()));
        }
        let number = match value {
            Value::Bool(truth) if kinds.intersects(Kinds::NUMBER) => {
                Value::Integer(i128::from(*truth))
            }
            Value::Integer(number @ (0 | 1)) if kinds.intersects(Kinds::BOOLEAN) => {
                Value::Bool(*number == 1)
            }
            Value::Float(number) if kinds.intersects(Kinds::BOOLEAN) => {
                Value::Bool(match integer_value(*number)? {
                    0 => false,
                    1 => true,
                    _ => return None,
                })
            }
            Value::Float(number) if kinds.intersects(Kinds::INTEGER) => {
                Value::Integer(integer_value(number.round())?)
            }
            _ => return None,
        };
        self.record_repair(RepairKind::NumberKind, 3);
        Some(number)
    }
}

/// The integer value of a number without a fraction, in the range in which floats are exact.
fn integer_value(number: f64) -> Option<i128> {
    /// 2 to the power of 53.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small enough")]
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT).then_some(number as i128)
}

/// A number as JSON writes it, or with a plus sign.
fn number(text: &str) -> Option<Value> {
    json_number(text.strip_prefix('+').unwrap_or(text))
}

/// A number as one of the kinds; `None` if that would lose a fraction.
fn of_kind(number: Value, kinds: Kinds) -> Option<Value> {
    match number {
        Value::Float(float) if !kinds.contains(Kinds::NUMBER) => {
            integer_value(float).map(Value::Integer)
        }
        number => Some(number),
    }
}

/// Reads `true` and `false` in any case.
fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Reads `yes` and `no` alone; or `true` or `false` in a sentence that has neither the other word
/// nor a negation such as `not true`.
fn truth_in_words(text: &str) -> Option<bool> {
    let plain = names::plain(text);
    match plain.as_str() {
        "yes" | "y" | "on" => return Some(true),
        "no" | "n" | "off" => return Some(false),
        _ => {}
    }
    if ["true", "false"].iter().any(|it| names::negates(&plain, it)) {
        return None;
    }
    match (names::count(&plain, "true"), names::count(&plain, "false")) {
        (1.., 0) => Some(true),
        (0, 1..) => Some(false),
        _ => None,
    }
}

/// Reads a number with thousands separators (`1,234.5`), a currency or percent sign (`$5`, `20 %`),
/// or a fraction (`1/5`).
fn written_number(text: &str) -> Option<Value> {
    if let Some((above, below)) = text.split_once('/') {
        let (above, below) = (number(above.trim())?.as_f64()?, number(below.trim())?.as_f64()?);
        return (below != 0.0).then(|| Value::Float(above / below));
    }
    let is_around = |it: char| it.is_whitespace() || "$€£¥%".contains(it);
    let bare = text.trim_matches(is_around);
    let (integer, fraction) = bare.split_once('.').unwrap_or((bare, ""));
    let mut groups = integer.split([',', '_', ' ']);
    let first = groups.next()?;
    let first_digits = first.trim_start_matches(['-', '+']).len();
    let has_groups = groups.clone().next().is_some();
    let is_group = |it: &str| it.len() == 3 && it.bytes().all(|byte| byte.is_ascii_digit());
    if has_groups && (!(1..=3).contains(&first_digits) || !groups.all(is_group)) {
        return None;
    }
    let digits: String = integer.chars().filter(|it| !matches!(it, ',' | '_' | ' ')).collect();
    let json = if fraction.is_empty() { digits } else { format!("{digits}.{fraction}") };
    number(&json)
}
