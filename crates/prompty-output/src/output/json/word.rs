//! Interprets bare words. In JSON, a word without quotes is a number, `true`, `false` or `null`.
//! Models also write other literals, other forms of numbers, and strings without quotes.

use std::borrow::Cow;

use prompty_core::value::Value;
use prompty_core::value::internal::json::{is_number, read_number, with_digits_around_point};

use crate::output::repair::RepairKind;

/// The maximum length of a word that is tested for a number before it is complete, in bytes.
const MAX_NUMBER_LENGTH: usize = 48;

/// The value of a bare word, and the repair that it needs.
pub(super) struct WordMeaning {
    pub(super) value: Value,
    pub(super) repair: Option<RepairKind>,
}

impl WordMeaning {
    fn standard(value: impl Into<Value>) -> Self {
        Self { value: value.into(), repair: None }
    }

    fn repaired(value: impl Into<Value>, kind: RepairKind) -> Self {
        Self { repair: Some(kind), ..Self::standard(value) }
    }
}

/// The literals of JSON and of the languages that models mix in.
fn literal(word: &str) -> Option<WordMeaning> {
    let other = |value: Value| Some(WordMeaning::repaired(value, RepairKind::OtherLiteral));
    match word {
        "true" => Some(WordMeaning::standard(true)),
        "false" => Some(WordMeaning::standard(false)),
        "null" => Some(WordMeaning::standard(Value::Null)),
        "True" | "TRUE" => other(true.into()),
        "False" | "FALSE" => other(false.into()),
        "None" | "NULL" | "Null" | "undefined" | "nil" => other(Value::Null),
        "NaN" | "+NaN" | "-NaN" | "nan" => other(Value::Float(f64::NAN)),
        "Infinity" | "+Infinity" | "inf" => other(Value::Float(f64::INFINITY)),
        "-Infinity" | "-inf" => other(Value::Float(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// A number in the form of JSON, for a form that JSON does not have: with a plus sign (`+1`), or
/// without a digit on one side of the point (`.5`, `5.`).
///
/// Digits after a leading zero are not a number, because they may be a code, such as `007`.
pub(in crate::output) fn standard_number(word: &str) -> Option<Cow<'_, str>> {
    if is_number(word) {
        return Some(word.into());
    }
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let exponent_at = digits.find(['e', 'E']).unwrap_or(digits.len());
    let (mantissa, exponent) = digits.split_at(exponent_at);
    let json = format!("{sign}{}{exponent}", with_digits_around_point(mantissa)?);
    is_number(&json).then_some(json.into())
}

/// Reads a number in a form that JSON does not have: see [`standard_number`], or with hexadecimal
/// digits (`0xff`).
fn lenient_number(word: &str) -> Option<Value> {
    let (is_negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = i128::from_str_radix(digits, 16).ok().filter(|_| is_digits)?;
        return Some(Value::Integer(if is_negative { -number } else { number }));
    }
    read_number(&standard_number(word)?)
}

/// Whether a word is a literal or a number, so that a blank after it may end it.
pub(super) fn is_scalar(word: &str) -> bool {
    // This limits the work, because a word is checked at each of its blanks.
    if word.len() > MAX_NUMBER_LENGTH {
        return false;
    }
    literal(word).is_some() || read_number(word).is_some() || lenient_number(word).is_some()
}

/// The meaning of a word.
pub(super) fn meaning(word: &str) -> WordMeaning {
    if let Some(found) = literal(word) {
        return found;
    }
    if let Some(number) = read_number(word) {
        return WordMeaning::standard(number);
    }
    match lenient_number(word) {
        Some(number) => WordMeaning::repaired(number, RepairKind::OtherNumber),
        None => WordMeaning::repaired(word, RepairKind::BareText),
    }
}

/// The meaning of a word that the end of a text cut: the beginning of a literal, or a number without
/// the digits of its exponent. `None` if the word may be complete.
pub(super) fn meaning_of_cut(word: &str) -> Option<WordMeaning> {
    if word == "-" {
        return Some(WordMeaning::standard(0));
    }
    if let Some(number) = word.trim_end_matches(['+', '-']).strip_suffix(['e', 'E'])
        && let Some(number) = read_number(number)
    {
        return Some(WordMeaning::standard(number));
    }
    let is_cut = |it: &&str| !word.is_empty() && it.len() > word.len() && it.starts_with(word);
    let mut literals = ["true", "false", "null", "True", "False", "None", "-Infinity"].into_iter();
    literals.find(is_cut).and_then(literal)
}

/// The meaning of an unfinished word, if it is a number.
pub(super) fn number_so_far(word: &str) -> Option<Value> {
    if word.len() > MAX_NUMBER_LENGTH {
        return None;
    }
    read_number(word).or_else(|| lenient_number(word))
}
