//! Converts numbers, booleans and strings that are written as another kind.

use prompty_core::schema::Kinds;
use prompty_core::value::Value;
use prompty_core::value::internal::json::{read_number, whole_number};

use super::{Fitter, Leniency, names};
use crate::output::repair::RepairKind;
use crate::output::written_form::WrittenValue;

impl Fitter<'_> {
    /// Converts a value into a scalar of one of the kinds, if it means one.
    pub(super) fn fit_scalar(&mut self, source: WrittenValue<'_>, kinds: Kinds) -> Option<Value> {
        match source.value {
            // A float without a fraction is an integer by the specification.
            Value::Float(_)
                if kinds.intersects(Kinds::INTEGER)
                    && let Some(integer) = source.integer() =>
            {
                self.depends_on_words |= !source.has_form();
                Some(Value::Integer(integer))
            }
            Value::String(text) if self.allows(Leniency::Plain) => {
                self.fit_string_as_scalar(text, kinds)
            }
            _ if self.allows(Leniency::Generous) => self.fit_scalar_of_other_kind(source, kinds),
            _ => None,
        }
    }

    /// Converts a string into a scalar that it contains.
    fn fit_string_as_scalar(&mut self, text: &str, kinds: Kinds) -> Option<Value> {
        let text = text.trim();
        // The period may end a sentence.
        let digits = text.strip_suffix('.').unwrap_or(text);
        if kinds.intersects(Kinds::NUMBER)
            && let Some(number) = number(digits, kinds)
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
            && let Some(number) = written_number(text, kinds)
        {
            self.record_repair(RepairKind::WrittenNumber, 3);
            return Some(number);
        }
        None
    }

    /// Converts a scalar that is not a string into one of another kind, such as `1` into `true`.
    fn fit_scalar_of_other_kind(
        &mut self,
        source: WrittenValue<'_>,
        kinds: Kinds,
    ) -> Option<Value> {
        if let Some(text) = self.fit_as_string(source, kinds) {
            return Some(text);
        }
        let number = match source.value {
            Value::Bool(truth) if kinds.intersects(Kinds::NUMBER) => {
                Value::Integer(i128::from(*truth))
            }
            Value::Integer(number @ (0 | 1)) if kinds.intersects(Kinds::BOOLEAN) => {
                Value::Bool(*number == 1)
            }
            Value::Float(_) if kinds.intersects(Kinds::BOOLEAN) => {
                Value::Bool(match source.integer()? {
                    0 => false,
                    1 => true,
                    _ => return None,
                })
            }
            _ => return None,
        };
        self.depends_on_words |= !source.has_form();
        self.record_repair(RepairKind::NumberKind, 3);
        Some(number)
    }

    /// Converts a number or a boolean into the string that the model wrote.
    pub(super) fn fit_as_string(
        &mut self,
        source: WrittenValue<'_>,
        kinds: Kinds,
    ) -> Option<Value> {
        if !kinds.intersects(Kinds::STRING) || source.value.is_null() {
            return None;
        }
        let text = source.word()?;
        self.depends_on_words |= !source.has_form();
        self.record_repair(RepairKind::TextOfScalar, 3);
        Some(Value::from(text))
    }
}

/// A number as JSON writes it, or with a plus sign; `None` if it is not of one of the kinds.
fn number(text: &str, kinds: Kinds) -> Option<Value> {
    let word = match text.strip_prefix('+') {
        Some(unsigned) if !unsigned.starts_with('-') => unsigned,
        _ => text,
    };
    match read_number(word)? {
        Value::Float(_) if !kinds.contains(Kinds::NUMBER) => whole_number(word).map(Value::Integer),
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
    match plain.trim_matches(|it: char| !it.is_alphanumeric()) {
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
fn written_number(text: &str, kinds: Kinds) -> Option<Value> {
    if let Some((above, below)) = text.split_once('/') {
        return quotient(
            &number(above.trim(), Kinds::NUMBER)?,
            &number(below.trim(), Kinds::NUMBER)?,
            kinds,
        );
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
    number(&json, kinds)
}

/// The value of a fraction; `None` if it is not of one of the kinds.
fn quotient(above: &Value, below: &Value, kinds: Kinds) -> Option<Value> {
    if let (Value::Integer(above), Value::Integer(below)) = (above, below)
        && above.checked_rem(*below) == Some(0)
    {
        return above.checked_div(*below).map(Value::Integer);
    }
    let quotient = above.as_f64()? / below.as_f64()?;
    (quotient.is_finite() && kinds.contains(Kinds::NUMBER)).then_some(Value::Float(quotient))
}
