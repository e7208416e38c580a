//! Writes JSON text: arrays, objects, keys and strings, with their separators.

use std::fmt::{self, Write};

use super::escape::{escape_ascii_byte, escape_text};
use crate::value::Value;

/// The layout of JSON text.
#[derive(Debug, Clone, Copy)]
pub struct JsonStyle<'style> {
    /// The separator between two items.
    pub item_separator: &'style str,
    /// The separator between a key and its value.
    pub name_separator: &'style str,
    /// The indentation of each level; `None` for a single line.
    pub indent: Option<&'style str>,
    /// Whether all characters outside of ASCII are escaped.
    pub ensure_ascii: bool,
    /// Whether a float is written so that it is read as a float again: `1.0` instead of `1`.
    pub exact_floats: bool,
}

impl JsonStyle<'_> {
    /// A single line, with a space after `,` and `:`.
    pub const SPACED: Self = Self {
        item_separator: ", ",
        name_separator: ": ",
        indent: None,
        ensure_ascii: false,
        exact_floats: false,
    };

    /// A single line, with a space after `,` and `:`. A reader gets values of the same types.
    pub const EXACT: Self = Self { exact_floats: true, ..Self::SPACED };

    /// A single line without spaces.
    pub const COMPACT: Self = Self { item_separator: ",", name_separator: ":", ..Self::SPACED };

    /// One line for each value, indented by two spaces per level.
    pub const INDENTED: Self = Self { item_separator: ",", indent: Some("  "), ..Self::SPACED };
}

/// Writes JSON text step by step.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::value::internal::json::{JsonStyle, JsonWriter};
///
/// let mut writer = JsonWriter::new(String::new(), JsonStyle::SPACED);
/// writer.begin('{')?;
/// writer.name("city")?;
/// writer.string("Bonn")?;
/// writer.name("days")?;
/// writer.begin('[')?;
/// writer.item()?;
/// writer.word("1")?;
/// writer.end(']')?;
/// writer.end('}')?;
/// assert_eq!(writer.into_inner(), r#"{"city": "Bonn", "days": [1]}"#);
/// # Ok::<(), std::fmt::Error>(())
/// ```
///
/// # Errors
///
/// Each method returns an error only if its output does.
#[derive(Debug)]
pub struct JsonWriter<'style, W> {
    out: W,
    style: JsonStyle<'style>,
    depth: usize,
    /// Whether the current array or object is empty so far.
    is_empty: bool,
}

impl<'style, W: Write> JsonWriter<'style, W> {
    /// Creates a writer that writes to `out`.
    pub fn new(out: W, style: JsonStyle<'style>) -> Self {
        Self { out, style, depth: 0, is_empty: true }
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Begins an array or an object with its bracket.
    pub fn begin(&mut self, bracket: char) -> fmt::Result {
        self.depth += 1;
        self.is_empty = true;
        self.out.write_char(bracket)
    }

    /// Ends an array or an object with its bracket.
    pub fn end(&mut self, bracket: char) -> fmt::Result {
        self.depth -= 1;
        if !self.is_empty {
            self.break_line()?;
        }
        self.is_empty = false;
        self.out.write_char(bracket)
    }

    /// Begins an item of an array.
    pub fn item(&mut self) -> fmt::Result {
        if !self.is_empty {
            self.out.write_str(self.style.item_separator)?;
        }
        self.is_empty = false;
        self.break_line()
    }

    /// Begins an entry of an object.
    pub fn name(&mut self, name: &str) -> fmt::Result {
        self.item()?;
        self.string(name)?;
        self.out.write_str(self.style.name_separator)
    }

    /// Writes a string in quotes.
    pub fn string(&mut self, text: &str) -> fmt::Result {
        write_string(&mut self.out, text, self.style.ensure_ascii)
    }

    /// Writes `null`, a boolean or a number unchanged.
    pub fn word(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(word)
    }

    /// Writes a value. NaN and infinities are written as `null`.
    pub fn value(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Null => self.word("null"),
            Value::Bool(true) => self.word("true"),
            Value::Bool(false) => self.word("false"),
            Value::Integer(number) => write!(self.out, "{number}"),
            Value::Float(number) if number.is_finite() && self.style.exact_floats => {
                write!(self.out, "{number:?}")
            }
            Value::Float(number) if number.is_finite() => write_float(&mut self.out, *number),
            Value::Float(_) => self.word("null"),
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.begin('[')?;
                for item in items.iter() {
                    self.item()?;
                    self.value(item)?;
                }
                self.end(']')
            }
            Value::Object(map) => {
                self.begin('{')?;
                for (name, item) in map.iter() {
                    self.name(name)?;
                    self.value(item)?;
                }
                self.end('}')
            }
        }
    }

    fn break_line(&mut self) -> fmt::Result {
        let Some(indent) = self.style.indent else { return Ok(()) };
        self.out.write_char('\n')?;
        (0..self.depth).try_for_each(|_| self.out.write_str(indent))
    }
}

/// Writes a value as JSON text.
pub fn to_string(value: &Value, style: JsonStyle<'_>) -> String {
    let mut writer = JsonWriter::new(String::new(), style);
    // Writing to a `String` does not fail.
    let _ = writer.value(value);
    writer.into_inner()
}

/// Writes a float in its shortest form. A float without a fraction is written as an integer.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn write_float<W: Write + ?Sized>(out: &mut W, number: f64) -> fmt::Result {
    // `-0.0` is written as `0`, because a model should not see a meaningless sign.
    let number = if number == 0.0 { 0.0 } else { number };
    write!(out, "{number}")
}

/// Writes a JSON string, with its quotes.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn write_string<W: Write>(out: &mut W, text: &str, ensure_ascii: bool) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(rest.floor_char_boundary(PIECE_LENGTH));
        if ensure_ascii {
            write_ascii(out, piece)?;
        } else {
            write_piece(out, piece)?;
        }
        rest = next;
    }
    out.write_char('"')
}

/// The number of bytes that are escaped before they are written. If `out` returns an error, the
/// rest of the text is not read.
const PIECE_LENGTH: usize = 1024;

/// Writes the content of a string, with only the required escapes.
fn write_piece<W: Write>(out: &mut W, text: &str) -> fmt::Result {
    let mut result = Ok(());
    escape_text(text, |piece| {
        if result.is_ok() {
            result = out.write_str(piece);
        }
    });
    result
}

/// Writes the content of a string, with all characters escaped that are not printable ASCII.
fn write_ascii<W: Write>(out: &mut W, text: &str) -> fmt::Result {
    let escape = |it: char| u8::try_from(it).ok().and_then(escape_ascii_byte);
    let is_special = |it: char| it > '~' || escape(it).is_some();
    // Each run is plain text and, except for the last, a special character at its end.
    for run in text.split_inclusive(is_special) {
        let mut plain = run.chars();
        let Some(character) = plain.next_back().filter(|it| is_special(*it)) else {
            return out.write_str(run);
        };
        out.write_str(plain.as_str())?;
        match escape(character) {
            Some(escaped) => out.write_str(escaped)?,
            None => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{JsonStyle, to_string, write_string};
    use crate::value::Value;

    fn written(json: &str, style: JsonStyle<'_>) -> String {
        to_string(&Value::from_json(json).unwrap(), style)
    }

    #[test]
    fn separators_and_indentation_follow_the_style() {
        let json = r#"{"a": [1, {"b": null}], "c": [], "d": {}}"#;
        assert_eq!(written(json, JsonStyle::SPACED), json);
        assert_eq!(written(json, JsonStyle::COMPACT), r#"{"a":[1,{"b":null}],"c":[],"d":{}}"#);
        let indented = "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \
                        \"c\": [],\n  \"d\": {}\n}";
        assert_eq!(written(json, JsonStyle::INDENTED), indented);
    }

    #[test]
    fn characters_outside_of_ascii_are_escaped_on_request() {
        let mut json = String::new();
        write_string(&mut json, "a\"\n\u{7f}é\u{1f600}!", true).unwrap();
        assert_eq!(json, "\"a\\\"\\n\\u007f\\u00e9\\ud83d\\ude00!\"");
    }
}
