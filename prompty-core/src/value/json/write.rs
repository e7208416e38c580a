//! The writer: lists, maps, names and texts with what stands between them.

use std::fmt::{self, Write};

use super::escape::{escape_ascii_byte, escape_text};
use crate::value::Value;

/// How JSON text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct JsonStyle<'style> {
    /// What stands between two items.
    pub item_separator: &'style str,
    /// What stands between a name and its value.
    pub name_separator: &'style str,
    /// What each level of lists and maps is indented by; nothing where all stands in one line.
    pub indent: Option<&'style str>,
    /// Whether all that is not ASCII is escaped.
    pub ensure_ascii: bool,
    /// Whether a float is written so that it is read as a float again: `1.0`, and not `1`.
    pub exact_floats: bool,
}

impl JsonStyle<'_> {
    /// One line, with a space behind `,` and `:`.
    pub const SPACED: Self = Self {
        item_separator: ", ",
        name_separator: ": ",
        indent: None,
        ensure_ascii: false,
        exact_floats: false,
    };

    /// One line, with a space behind `,` and `:`. What is read again has the same types.
    pub const EXACT: Self = Self { exact_floats: true, ..Self::SPACED };

    /// One line, without spaces.
    pub const COMPACT: Self = Self { item_separator: ",", name_separator: ":", ..Self::SPACED };

    /// One line for each value, indented by two spaces a level.
    pub const INDENTED: Self = Self { item_separator: ",", indent: Some("  "), ..Self::SPACED };
}

/// Writes one JSON text, from its first bracket to its last.
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
/// Each of its functions fails only where what it writes to reports an error.
#[derive(Debug)]
pub struct JsonWriter<'style, W> {
    out: W,
    style: JsonStyle<'style>,
    depth: usize,
    /// Whether nothing stands yet in the list or map that was begun last.
    is_empty: bool,
}

impl<'style, W: Write> JsonWriter<'style, W> {
    /// A writer that writes to `out`.
    pub fn new(out: W, style: JsonStyle<'style>) -> Self {
        Self { out, style, depth: 0, is_empty: true }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Begins a list or a map by its bracket.
    pub fn begin(&mut self, bracket: char) -> fmt::Result {
        self.depth += 1;
        self.is_empty = true;
        self.out.write_char(bracket)
    }

    /// Ends a list or a map by its bracket.
    pub fn end(&mut self, bracket: char) -> fmt::Result {
        self.depth -= 1;
        if !self.is_empty {
            self.break_line()?;
        }
        self.is_empty = false;
        self.out.write_char(bracket)
    }

    /// Begins an item of a list.
    pub fn item(&mut self) -> fmt::Result {
        if !self.is_empty {
            self.out.write_str(self.style.item_separator)?;
        }
        self.is_empty = false;
        self.break_line()
    }

    /// Begins an entry of a map.
    pub fn name(&mut self, name: &str) -> fmt::Result {
        self.item()?;
        self.string(name)?;
        self.out.write_str(self.style.name_separator)
    }

    /// Writes a text in quotes.
    pub fn string(&mut self, text: &str) -> fmt::Result {
        write_string(&mut self.out, text, self.style.ensure_ascii)
    }

    /// Writes `null`, a truth value or a number, as it stands.
    pub fn word(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(word)
    }

    /// Writes a whole value. A number that JSON does not have is `null`.
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

/// A value as JSON text.
pub fn to_string(value: &Value, style: JsonStyle<'_>) -> String {
    let mut writer = JsonWriter::new(String::new(), style);
    // Writing to a `String` does not fail.
    let _ = writer.value(value);
    writer.into_inner()
}

/// Writes a float in its shortest form; without a fraction it prints as a whole number.
///
/// # Errors
///
/// Only where `out` reports one.
pub fn write_float<W: Write + ?Sized>(out: &mut W, number: f64) -> fmt::Result {
    // `-0.0` prints as `0`: a model should not see a sign that means nothing.
    let number = if number == 0.0 { 0.0 } else { number };
    write!(out, "{number}")
}

/// Writes a text as JSON, quotes included.
///
/// # Errors
///
/// Only where `out` reports one.
pub fn write_string<W: Write>(out: &mut W, text: &str, ensure_ascii: bool) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE));
        if ensure_ascii {
            write_ascii(out, piece)?;
        } else {
            write_piece(out, piece)?;
        }
        rest = behind;
    }
    out.write_char('"')
}

/// How many bytes of a text are read before what was read is written: `out` may refuse it, and then the
/// rest is not read.
const PIECE: usize = 1024;

/// Writes the inside of a text with nothing escaped but what must be.
fn write_piece<W: Write>(out: &mut W, text: &str) -> fmt::Result {
    let mut result = Ok(());
    escape_text(text, |piece| {
        if result.is_ok() {
            result = out.write_str(piece);
        }
    });
    result
}

/// Writes the inside of a text with all escaped that is not printable ASCII.
fn write_ascii<W: Write>(out: &mut W, text: &str) -> fmt::Result {
    let escape = |it: char| u8::try_from(it).ok().and_then(escape_ascii_byte);
    let is_special = |it: char| it > '~' || escape(it).is_some();
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
    fn separators_and_indentation_are_as_asked() {
        let json = r#"{"a": [1, {"b": null}], "c": [], "d": {}}"#;
        assert_eq!(written(json, JsonStyle::SPACED), json);
        assert_eq!(written(json, JsonStyle::COMPACT), r#"{"a":[1,{"b":null}],"c":[],"d":{}}"#);
        let indented = "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \
                        \"c\": [],\n  \"d\": {}\n}";
        assert_eq!(written(json, JsonStyle::INDENTED), indented);
    }

    #[test]
    fn what_is_not_ascii_is_escaped_on_demand() {
        let mut json = String::new();
        write_string(&mut json, "a\"\n\u{7f}é\u{1f600}!", true).unwrap();
        assert_eq!(json, "\"a\\\"\\n\\u007f\\u00e9\\ud83d\\ude00!\"");
    }
}
