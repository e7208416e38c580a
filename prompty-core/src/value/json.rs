//! JSON text into [`Value`]: integers stay exact, and maps keep their order.

use std::sync::Arc;

use super::{MAX_DEPTH, Map, Value};
use crate::error::{Error, ErrorKind};

impl Value {
    /// A value out of JSON text. Integers of up to 128 bits are exact; of two entries with the same
    /// name the last one counts.
    ///
    /// ```
    /// use prompty_core::value::Value;
    ///
    /// let value = Value::from_json(r#"{"b": 12345678901234567890, "a": [true, null]}"#)?;
    /// assert_eq!(value.to_json(), r#"{"b": 12345678901234567890, "a": [true, null]}"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] where the text is not JSON, or is nested deeper than [`MAX_DEPTH`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        match reader.rest().is_empty() {
            true => Ok(value),
            false => Err(reader.error("expected the end of the JSON text")),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, message: &str) -> Error {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = format!("{message}, in line {line} at column {column}");
        Error::new(ErrorKind::Conversion, message)
    }

    fn skip_space(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: u8) -> bool {
        self.skip_space();
        let found = self.next() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(self.error("lists and maps are nested too deep"));
        }
        self.skip_space();
        match self.next() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Value::String(self.string()?.into())),
            Some(_) => self.word(),
            None => Err(self.error("expected a JSON value")),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut map = Map::new();
        if self.take(b'}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.skip_space();
            if self.next() != Some(b'"') {
                return Err(self.error("expected a name in double quotes"));
            }
            let name: Arc<str> = self.string()?.into();
            if !self.take(b':') {
                return Err(self.error("expected `:`"));
            }
            let value = self.value(depth + 1)?;
            map.insert(name, value);
            if self.take(b'}') {
                return Ok(Value::Object(map));
            }
            if !self.take(b',') {
                return Err(self.error("expected `,` or `}`"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(Arc::new(items)));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::Array(Arc::new(items)));
            }
            if !self.take(b',') {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    /// `null`, `true`, `false` or a number.
    fn word(&mut self) -> Result<Value, Error> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if !is_number(word) => return Err(self.error("expected a JSON value")),
            _ => match (word.parse::<i128>(), word.parse::<f64>()) {
                // The float has a sign that the integer would lose.
                (Ok(0), _) if word.starts_with('-') => Value::Float(-0.0),
                (Ok(number), _) => Value::Integer(number),
                (_, Ok(number)) => Value::Float(number),
                _ => return Err(self.error("expected a number")),
            },
        };
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let stop = |c: char| c == '"' || c == '\\' || c < ' ';
            let Some(length) = rest.find(stop) else {
                return Err(self.error("a text is never closed"));
            };
            text.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            match self.next() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                _ => return Err(self.error("a control character must be escaped in a text")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let Some(letter) = self.next() else { return Err(self.error("a text is never closed")) };
        let character = match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.error("an unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// The digits of `\u`, and those of the second half of a pair.
    fn unicode(&mut self) -> Result<char, Error> {
        let first = self.four_digits()?;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        // Half of a pair alone is no character.
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, Error> {
        let digits = self.rest().get(..4).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.error("`\\u` needs four digits"));
        };
        self.at += 4;
        Ok(code)
    }
}

/// Whether a word is a number as JSON has them: no `+`, no leading zero, digits around the point.
fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|it| digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn numbers_stay_what_they_are() {
        let json = "[0, -7, 18446744073709551616, 1.5, 1e3, -0.25]";
        let value = Value::from_json(json).unwrap();
        let items = value.as_array().unwrap();
        assert!(matches!(items[2], Value::Integer(18_446_744_073_709_551_616)));
        assert!(matches!(items[4], Value::Float(number) if number == 1000.0));
    }

    #[test]
    fn escapes_and_pairs_are_read() {
        let value = Value::from_json(r#""a\n\u00e9\ud83d\ude00\ud800x""#).unwrap();
        assert_eq!(value.as_str(), Some("a\né\u{1f600}\u{fffd}x"));
    }

    #[test]
    fn what_is_no_json_is_an_error_with_a_place() {
        for text in ["", "{", "[1,]", "01", "+1", "1.", "nul", "\"a", "{\"a\" 1}", "1 2", "'a'"] {
            assert!(Value::from_json(text).is_err(), "{text}");
        }
        let error = Value::from_json("{\n \"a\": x}").unwrap_err();
        assert_eq!(error.to_string(), "expected a JSON value, in line 2 at column 7");
        assert!(Value::from_json(&"[".repeat(100_000)).is_err());
    }
}
