//! Bare words: what a text without quotes means where JSON has a number, `true`, `false` or `null`.

use prompty_core::value::Value;
use prompty_core::value::internal::json::{is_number, with_digits_around_point};

use crate::output::repair::RepairKind;

/// How long a number is that is looked at before it is whole, in bytes.
const LONGEST_NUMBER: usize = 48;

/// What a bare word means.
pub(super) struct Meaning {
    pub(super) value: Value,
    pub(super) repair: Option<RepairKind>,
}

impl Meaning {
    fn whole(value: impl Into<Value>) -> Self {
        Self { value: value.into(), repair: None }
    }

    fn mended(value: impl Into<Value>, kind: RepairKind) -> Self {
        Self { repair: Some(kind), ..Self::whole(value) }
    }
}

/// The literals of JSON and of the languages that models mix in.
fn literal(word: &str) -> Option<Meaning> {
    let other = |value: Value| Some(Meaning::mended(value, RepairKind::OtherLiteral));
    match word {
        "true" => Some(Meaning::whole(true)),
        "false" => Some(Meaning::whole(false)),
        "null" => Some(Meaning::whole(Value::Null)),
        "True" | "TRUE" => other(true.into()),
        "False" | "FALSE" => other(false.into()),
        "None" | "NULL" | "Null" | "undefined" | "nil" => other(Value::Null),
        "NaN" | "+NaN" | "-NaN" | "nan" => other(Value::Float(f64::NAN)),
        "Infinity" | "+Infinity" | "inf" => other(Value::Float(f64::INFINITY)),
        "-Infinity" | "-inf" => other(Value::Float(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// A number as JSON has it. One that no float holds is a text: an infinite number was not written.
fn exact(word: &str) -> Option<Value> {
    if !is_number(word) {
        return None;
    }
    match word.parse::<i128>() {
        Ok(number) => Some(Value::Integer(number)),
        Err(_) => finite(word),
    }
}

/// The number of a text, if a float can hold it.
pub(in crate::output) fn finite(text: &str) -> Option<Value> {
    text.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::Float)
}

/// A number with what models add or leave out: a sign, no digit on one side of the point, an exponent
/// without digits, hexadecimal digits.
fn loose(word: &str) -> Option<Value> {
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
    exact(&json)
}

/// Whether a word is a literal or a number, so that a blank behind it may end it.
pub(super) fn is_scalar(word: &str) -> bool {
    // A longer word is asked for again at each of its blanks.
    if word.len() > LONGEST_NUMBER {
        return false;
    }
    literal(word).is_some() || exact(word).is_some() || loose(word).is_some()
}

/// What a word means.
pub(super) fn meaning(word: &str) -> Meaning {
    if let Some(found) = literal(word) {
        return found;
    }
    if let Some(number) = exact(word) {
        return Meaning::whole(number);
    }
    match loose(word) {
        Some(number) => Meaning::mended(number, RepairKind::OtherNumber),
        None => Meaning::mended(word, RepairKind::BareText),
    }
}

/// What a word means with which a text ends: it may be the beginning of a literal.
pub(super) fn meaning_at_the_end(word: &str) -> Meaning {
    let begins = |literal: &&str| literal.len() > word.len() && literal.starts_with(word);
    let found = ["true", "false", "null", "True", "False", "None", "-Infinity"]
        .iter()
        .find(|it| begins(it));
    let found = found.and_then(|whole| literal(whole)).filter(|_| !word.is_empty());
    match found {
        _ if word == "-" => Meaning::whole(0),
        Some(found) => found,
        None => meaning(word),
    }
}

/// What a word that is not finished means so far, if it is a number.
pub(super) fn number_so_far(word: &str) -> Option<Value> {
    if word.len() > LONGEST_NUMBER {
        return None;
    }
    exact(word).or_else(|| loose(word))
}
