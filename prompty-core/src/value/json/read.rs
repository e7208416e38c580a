//! Reads JSON text to a [`Value`]. Integers are exact, and objects keep their order.

use std::borrow::Cow;
use std::sync::Arc;

use super::escape::{Escape, SpecialBytes, read_escape};
use crate::error::{Error, ErrorKind};
use crate::value::{MAX_DEPTH, Map, Value};

/// Why a text is not JSON, and the offset of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong, without the place.
    pub message: &'static str,
    /// The offset in bytes.
    pub offset: usize,
}

/// Limits on the content of a text.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum nesting of arrays and objects.
    pub depth: usize,
    /// The maximum number of values.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: MAX_DEPTH, values: usize::MAX }
    }
}

/// The message if a value is missing. [`JsonError::in_text`] writes `expected a JSON value`
/// instead.
const EXPECTED_VALUE: &str = "expected a value";

impl Value {
    /// Reads JSON text. Integers of up to 128 bits are exact. The last of two entries with the same
    /// key is kept. One half of a surrogate pair alone (`"\ud83d"`) is read as U+FFFD.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::value::Value;
    ///
    /// let value = Value::from_json(r#"{"b": 12345678901234567890, "a": [true, null]}"#)?;
    /// assert_eq!(value.to_json(), r#"{"b": 12345678901234567890, "a": [true, null]}"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Conversion`] if the text is not JSON or deeper than [`MAX_DEPTH`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        read(text, Limits::default()).map_err(|error| error.in_text(text))
    }
}

impl JsonError {
    /// Converts it to the crate's error, with its line and column in the text.
    pub fn in_text(self, text: &str) -> Error {
        #[expect(clippy::string_slice, reason = "`floor_char_boundary` returns a valid offset")]
        let before = &text[..text.floor_char_boundary(self.offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let message = match self.message {
            EXPECTED_VALUE => "expected a JSON value",
            message => message,
        };
        let message = format!("{message} at line {line}, column {column}");
        Error::new(ErrorKind::Conversion, message)
    }
}

/// Reads a text as a single value.
///
/// # Errors
///
/// Returns an error if the text is not JSON or exceeds a limit.
pub fn read(text: &str, limits: Limits) -> Result<Value, JsonError> {
    let mut reader = JsonReader { text, offset: 0, limits, values: 0 };
    let value = reader.read_value(0)?;
    reader.skip_space();
    if reader.offset < text.len() {
        return Err(reader.error("expected the end of the JSON text"));
    }
    Ok(value)
}

/// Reads the value at the beginning of a text, and returns the offset of its end.
///
/// # Errors
///
/// Returns an error if the text does not begin with a JSON value.
pub fn read_prefix(text: &str) -> Result<(Value, usize), JsonError> {
    let mut reader = JsonReader { text, offset: 0, limits: Limits::default(), values: 0 };
    let value = reader.read_value(0)?;
    Ok((value, reader.offset))
}

struct JsonReader<'t> {
    text: &'t str,
    /// The offset of the next byte to read.
    offset: usize,
    limits: Limits,
    /// How many values have been read.
    values: usize,
}

impl<'t> JsonReader<'t> {
    #[expect(clippy::string_slice, reason = "the offset is after a complete character")]
    fn rest(&self) -> &'t str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn error(&self, message: &'static str) -> JsonError {
        JsonError { message, offset: self.offset }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.offset += 1;
        }
    }

    /// Skips white space, and takes the next character if it is the expected one.
    fn take_if_next(&mut self, expected: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(expected);
        self.offset += usize::from(is_next);
        is_next
    }

    /// Reads a value inside of `depth` arrays and objects.
    fn read_value(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(self.error("too many values"));
        }
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth >= self.limits.depth => {
                Err(self.error("arrays and objects are nested too deeply"))
            }
            Some(b'{') => self.read_object(depth),
            Some(b'[') => self.read_array(depth),
            Some(b'"') => Ok(Value::from(self.read_string()?)),
            Some(_) => self.read_word(),
            None => Err(self.error(EXPECTED_VALUE)),
        }
    }

    fn read_object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.offset += 1;
        let mut map = Map::new();
        if self.take_if_next(b'}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a key in double quotes"));
            }
            let name: Arc<str> = self.read_string()?.into();
            if !self.take_if_next(b':') {
                return Err(self.error("expected `:`"));
            }
            let value = self.read_value(depth + 1)?;
            map.insert(name, value);
            if self.take_if_next(b'}') {
                return Ok(Value::Object(map));
            }
            if !self.take_if_next(b',') {
                return Err(self.error("expected `,` or `}`"));
            }
        }
    }

    fn read_array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.offset += 1;
        let mut items = Vec::new();
        if self.take_if_next(b']') {
            return Ok(Value::Array(Arc::new(items)));
        }
        loop {
            items.push(self.read_value(depth + 1)?);
            if self.take_if_next(b']') {
                return Ok(Value::Array(Arc::new(items)));
            }
            if !self.take_if_next(b',') {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    /// Reads `null`, `true`, `false` or a number.
    fn read_word(&mut self) -> Result<Value, JsonError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let word = rest.split(|c| !is_part(c)).next().unwrap_or(rest);
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if !is_number(word) => return Err(self.error(EXPECTED_VALUE)),
            _ => read_number(word).ok_or_else(|| self.error("the number is too large"))?,
        };
        self.offset += word.len();
        Ok(value)
    }

    /// Reads a string with its quotes. A string without escapes is borrowed.
    fn read_string(&mut self) -> Result<Cow<'t, str>, JsonError> {
        self.offset += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let Some(length) = SpecialBytes::new(rest.as_bytes()).next() else {
                return Err(self.error("unterminated string"));
            };
            // Adding a piece to an empty `Cow` keeps it borrowed.
            #[expect(
                clippy::string_slice,
                reason = "`SpecialBytes` returns the offset of an ASCII byte"
            )]
            let plain = &rest[..length];
            text += plain;
            self.offset += length;
            match self.peek() {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.to_mut().push(self.take_escape()?),
                _ => return Err(self.error("unescaped control character in a string")),
            }
        }
    }

    /// Reads an escape in a string. One half of a surrogate pair becomes U+FFFD.
    fn take_escape(&mut self) -> Result<char, JsonError> {
        let rest = self.rest();
        let (character, length) = match read_escape(rest) {
            Escape::Character(character, length) => (character, length),
            // `\ud83d`
            Escape::LoneSurrogate => (char::REPLACEMENT_CHARACTER, 6),
            Escape::Incomplete | Escape::Unknown => {
                // The offset is after the backslash, or after `\u`.
                let is_unicode = rest.as_bytes().get(1) == Some(&b'u');
                let offset = self.offset + if is_unicode { 2 } else { 1 };
                let message = if is_unicode {
                    "`\\u` needs four hexadecimal digits"
                } else {
                    "unknown escape"
                };
                return Err(JsonError { message, offset });
            }
        };
        self.offset += length;
        Ok(character)
    }
}

/// Whether a word is a JSON number: no `+`, no leading zero, digits on both sides of a point.
pub fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A missing exponent or fraction is as good as a zero.
    let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    is_digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && is_digits(fraction)
        && is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

/// Reads a JSON number; `None` if the word is not one, or if it is larger than any float.
///
/// A whole number keeps its digits, however it is written: `9007199254740993.0` is an integer,
/// because the nearest float has other digits.
pub fn read_number(word: &str) -> Option<Value> {
    if !is_number(word) {
        return None;
    }
    match word.parse::<i128>() {
        // An integer zero would lose the sign.
        Ok(0) if word.starts_with('-') => return Some(Value::Float(-0.0)),
        Ok(number) => return Some(Value::Integer(number)),
        Err(_) => {}
    }
    let float = word.parse().ok().filter(|it: &f64| it.is_finite())?;
    Some(match whole_number(word) {
        Some(integer) if !is_written_as(float, word) => Value::Integer(integer),
        _ => Value::Float(float),
    })
}

/// The value of a JSON number without a fraction, such as `3`, `3.0` or `3e2`; `None` if an `i128`
/// cannot hold it.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::value::internal::json::whole_number;
///
/// assert_eq!(whole_number("9007199254740993.0"), Some(9_007_199_254_740_993));
/// assert_eq!(whole_number("-1.50e2"), Some(-150));
/// assert_eq!(whole_number("0.99999999999999999999"), None);
/// ```
pub fn whole_number(word: &str) -> Option<i128> {
    /// No `i128` has more zeros at its end.
    const MAX_ZEROS: i64 = 38;
    let Digits { negative, digits, exponent } = Digits::of_number(word)?;
    let zeros = usize::try_from(exponent).ok().filter(|_| exponent <= MAX_ZEROS)?;
    let sign = if negative { "-" } else { "" };
    format!("{sign}{digits}{}", "0".repeat(zeros)).parse().ok()
}

/// Whether a JSON number has the same value as the shortest digits of a float. If not, reading the
/// number as this float would change its digits.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::value::internal::json::is_written_as;
///
/// assert!(is_written_as(0.1, "0.10"));
/// assert!(!is_written_as(1.0, "0.99999999999999999999"));
/// ```
pub fn is_written_as(float: f64, word: &str) -> bool {
    is_number(word) && Digits::of_number(&format!("{float:e}")) == Digits::of_number(word)
}

/// The digits of a number, without zeros at either end. Its value is the digits times a power of
/// ten: `-1200.0` has the digits `12` and the exponent 2.
#[derive(PartialEq)]
struct Digits {
    negative: bool,
    /// `0` for zero.
    digits: String,
    exponent: i64,
}

impl Digits {
    /// The digits of a JSON number; `None` if its exponent is out of range.
    fn of_number(word: &str) -> Option<Self> {
        let unsigned = word.strip_prefix('-').unwrap_or(word);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{integer}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: "0".to_owned(), exponent: 0 });
        }
        let zeros = i64::try_from(significant.len() - digits.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(places)?;
        Some(Self { negative: word.starts_with('-'), digits: digits.to_owned(), exponent })
    }
}

/// Adds missing digits around the point of a number, as JSON requires: `.5` becomes `0.5`, and `5.`
/// becomes `5.0`. `None` if there is no digit, or if there is a sign.
pub fn with_digits_around_point(digits: &str) -> Option<Cow<'_, str>> {
    if matches!(digits, "" | ".") || digits.starts_with(['+', '-']) {
        return None;
    }
    let lead = if digits.starts_with('.') { "0" } else { "" };
    let trail = if digits.ends_with('.') { "0" } else { "" };
    Some(match lead.is_empty() && trail.is_empty() {
        true => digits.into(),
        false => format!("{lead}{digits}{trail}").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Limits, read, read_prefix, whole_number};
    use crate::value::Value;

    #[test]
    fn numbers_keep_their_kind() {
        let json = "[0, -7, 18446744073709551616, 1.5, 1e3, -0.25]";
        let value = Value::from_json(json).unwrap();
        let items = value.as_array().unwrap();
        assert!(matches!(items[2], Value::Integer(18_446_744_073_709_551_616)));
        assert!(matches!(items[4], Value::Float(number) if number == 1000.0));
    }

    #[test]
    fn a_whole_number_keeps_its_digits_with_a_point_or_an_exponent() {
        let exact = 9_007_199_254_740_993;
        for json in ["9007199254740993", "9007199254740993.0", "9007199254740.993e3"] {
            assert_eq!(Value::from_json(json).unwrap(), Value::Integer(exact), "{json}");
        }
        assert!(matches!(Value::from_json("1e23").unwrap(), Value::Float(_)));
        assert!(
            matches!(Value::from_json("-0").unwrap(), Value::Float(zero) if zero.is_sign_negative())
        );
    }

    #[test]
    fn a_number_that_is_too_large_for_a_float_is_an_error() {
        for json in ["1e999", "[-1e999]", "{\"a\": 1.5e400}"] {
            let error = Value::from_json(json).unwrap_err().to_string();
            assert!(error.contains("the number is too large"), "{error}");
        }
        assert_eq!(Value::from_json("1e-999").unwrap(), Value::Float(0.0));
    }

    #[test]
    fn a_number_with_a_fraction_is_not_whole() {
        for word in ["0.99999999999999999999", "4503599627370497.3", "1e-1", "1e-99999999999"] {
            assert_eq!(whole_number(word), None, "{word}");
        }
        assert_eq!(whole_number("0e99999999999"), Some(0));
        assert_eq!(whole_number("1e99999999999"), None);
    }

    #[test]
    fn escapes_and_pairs_are_read() {
        let value = Value::from_json(r#""a\n\u00e9\ud83d\ude00\ud800x""#).unwrap();
        assert_eq!(value.as_str(), Some("a\né\u{1f600}\u{fffd}x"));
    }

    #[test]
    fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
        for json in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83d\u0041""#, r#"{"\udead": 1}"#] {
            assert!(Value::from_json(json).unwrap().to_json().contains('\u{fffd}'), "{json}");
        }
    }

    #[test]
    fn invalid_json_is_an_error_with_a_place() {
        for text in ["", "{", "[1,]", "01", "+1", "1.", "nul", "\"a", "{\"a\" 1}", "1 2", "'a'"] {
            assert!(Value::from_json(text).is_err(), "{text}");
        }
        let error = Value::from_json("{\n \"a\": x}").unwrap_err();
        assert_eq!(error.to_string(), "expected a JSON value at line 2, column 7");
        assert!(Value::from_json(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_text_may_continue_after_its_first_value() {
        let (value, end) = read_prefix(" {\"a\": [1]}, 2").unwrap();
        assert_eq!((value.to_json().as_str(), end), ("{\"a\": [1]}", 11));
        assert_eq!(read_prefix("\"a\\\"\" b").unwrap(), (Value::from("a\""), 5));
        assert!(read_prefix("").is_err());
    }

    #[test]
    fn limits_are_enforced() {
        let limits = Limits { depth: 1, values: 3 };
        assert!(read("[1, 2]", limits).is_ok());
        assert_eq!(read("[1, 2, 3]", limits).unwrap_err().message, "too many values");
        for text in ["[[1]]", "[[]]", "[{}]"] {
            let too_deep = read(text, limits).unwrap_err();
            assert_eq!(
                (too_deep.message, too_deep.offset),
                ("arrays and objects are nested too deeply", 1)
            );
        }
    }
}
