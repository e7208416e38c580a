//! Words outside quotes: numbers, booleans and null.

use std::borrow::Cow;

use prompty_core::value::internal::json::{is_number, with_digits_around_point};

/// The maximum length of a word; no number or name is longer.
pub(super) const LONGEST_WORD: usize = 512;

/// Whether a byte can be part of a word.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.') || byte >= 0x80
}

/// Python's words that JSON writes differently, with the words of JSON.
pub(crate) const PYTHON_WORDS: [(&str, &str); 3] =
    [("True", "true"), ("False", "false"), ("None", "null")];

/// Converts a word to JSON: a boolean, null or a number, in the spelling of JSON or of Python.
pub(super) fn word_to_json(word: &str) -> Option<Cow<'_, str>> {
    let known = PYTHON_WORDS.iter().find(|(python, json)| word == *python || word == *json);
    if let Some((_, json)) = known {
        return Some(Cow::Borrowed(json));
    }
    if is_number(word) {
        return Some(if is_beyond_floats(word) {
            format!("\"{word}\"").into()
        } else {
            word.into()
        });
    }
    // Python writes `+1`, `.5` and `5.`; JSON does not.
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let repaired = format!("{sign}{}", with_digits_around_point(digits)?);
    is_number(&repaired).then_some(Cow::Owned(repaired))
}

/// Whether a number is larger than any float. JSON parsers reject such a number together with the
/// value that contains it, so it becomes a string.
fn is_beyond_floats(number: &str) -> bool {
    let may_be = number.len() > 308 || number.contains(['e', 'E']);
    may_be && number.parse().is_ok_and(f64::is_infinite)
}

/// Removes the leading zeros of an integer. JSON and Python do not allow them.
pub(super) fn without_leading_zeros(word: &str) -> Option<Cow<'_, str>> {
    let digits = word.trim_start_matches('0');
    let is_integer = word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit());
    is_integer.then_some(Cow::Borrowed(if digits.is_empty() { "0" } else { digits }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_numbers_are_unchanged() {
        for number in ["0", "-14", "3.14", "1.5e10", "123456789012345678901234567890", "1E-7"] {
            assert_eq!(word_to_json(number).as_deref(), Some(number));
        }
    }

    #[test]
    fn number_beyond_floats_is_a_string() {
        assert_eq!(word_to_json("-1e9999").as_deref(), Some("\"-1e9999\""));
        assert_eq!(word_to_json("1e-9999").as_deref(), Some("1e-9999"));
    }

    #[test]
    fn python_words_become_json_words() {
        for (python, json) in
            [("True", "true"), ("None", "null"), ("+3", "3"), (".5", "0.5"), ("-5.", "-5.0")]
        {
            assert_eq!(word_to_json(python).as_deref(), Some(json));
        }
    }

    #[test]
    fn leading_zeros_of_integer_are_removed() {
        let without = |word| without_leading_zeros(word);
        assert_eq!((without("07").as_deref(), without("000").as_deref()), (Some("7"), Some("0")));
        assert_eq!((without("7"), without("0x7"), without("0.7")), (None, None, None));
    }

    #[test]
    fn other_words_are_not_values() {
        for word in ["007", "1_000", "0x10", "Paris", "", "-", ".", "1e", "NaN", "+-1"] {
            assert_eq!(word_to_json(word), None, "{word}");
        }
    }
}
