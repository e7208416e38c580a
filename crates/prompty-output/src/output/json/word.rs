//! Interprets bare words. In JSON, a word without quotes is a number, `true`, `false` or `null`.
//! Models also write other literals, other forms of numbers, and strings without quotes.

use prompty_core::value::Value;
use prompty_core::value::internal::json::{is_number, with_digits_around_point};

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

/// Reads a number in the form of JSON. `None` if no float can represent it, because an infinite
/// value would be wrong. Digits after a leading zero are not a number in JSON. They are read as a
/// string, because they may be a code, such as `007`.
pub(in crate::output) fn json_number(word: &str) -> Option<Value> {
    if !is_number(word) {
        return None;
    }
    match word.parse::<i128>() {
        Ok(number) => Some(Value::Integer(number)),
        Err(_) => word.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::Float),
    }
}

/// Reads a number in a form that JSON does not have: with a plus sign (`+1`), no digit on one side
/// of the point (`.5`, `5.`), an exponent without digits (`1e`), or hexadecimal digits (`0xff`).
fn lenient_number(word: &str) -> Option<Value> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = i128::from_str_radix(digits, 16).ok().filter(|_| is_digits)?;
        return Some(Value::Integer(if sign.is_empty() { number } else { -number }));
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let mut json = format!("{sign}{}", with_digits_around_point(mantissa)?);
    match exponent {
        None | Some("" | "+" | "-") => {}
        Some(exponent) => {
            json.push('e');
            json.push_str(exponent);
        }
    }
    json_number(&json)
}

/// Whether a word is a literal or a number, so that a blank after it may end it.
pub(super) fn is_scalar(word: &str) -> bool {
    // This limits the work, because a word is checked at each of its blanks.
    if word.len() > MAX_NUMBER_LENGTH {
        return false;
    }
    literal(word).is_some() || json_number(word).is_some() || lenient_number(word).is_some()
}

/// The meaning of a word.
pub(super) fn meaning(word: &str) -> WordMeaning {
    if let Some(found) = literal(word) {
        return found;
    }
    if let Some(number) = json_number(word) {
        return WordMeaning::standard(number);
    }
    match lenient_number(word) {
        Some(number) => WordMeaning::repaired(number, RepairKind::OtherNumber),
        None => WordMeaning::repaired(word, RepairKind::BareText),
    }
}

/// The meaning of the last word of a text, which may be the beginning of a literal.
pub(super) fn meaning_at_the_end(word: &str) -> WordMeaning {
    if word == "-" {
        return WordMeaning::standard(0);
    }
    let is_cut = |it: &&str| !word.is_empty() && it.len() > word.len() && it.starts_with(word);
    let mut literals = ["true", "false", "null", "True", "False", "None", "-Infinity"].into_iter();
    literals.find(is_cut).and_then(literal).unwrap_or_else(|| meaning(word))
}

/// The meaning of an unfinished word, if it is a number.
pub(super) fn number_so_far(word: &str) -> Option<Value> {
    if word.len() > MAX_NUMBER_LENGTH {
        return None;
    }
    json_number(word).or_else(|| lenient_number(word))
}
