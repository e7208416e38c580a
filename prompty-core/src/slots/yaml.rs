//! Writes values as block-style YAML, which YAML 1.1 and 1.2 read back as the same value.
//!
//! A string is written as a plain word, in quotes in one line, or line by line and indented (YAML
//! calls this a literal). A line is quoted if it could be mistaken for something else, such as the
//! title of a block:
//!
//! ```text
//! - plain word
//! - "12"
//! - |-
//!   two
//!   lines
//! - "two\n[INPUT]:"
//! ```
//!
//! In some places Agently writes the `repr` of a Python value, which YAML does not read back. Here
//! these values are YAML too.

use crate::value::{Map, Value};

/// The indentation of each level.
const INDENT: usize = 2;

/// The maximum length of a key in one line with its value. YAML's own limit is 1024.
const MAX_INLINE_KEY: usize = 1000;

/// Words that some version of YAML does not read as a string.
const NOT_STRINGS: [&str; 12] =
    ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// A value in a block of a prompt. A string is written unchanged, an array or an object as YAML
/// with a final line break, and any other value as a word. Lines for which `must_quote` returns
/// `true` are quoted in arrays and objects.
pub(super) fn block(value: &Value, must_quote: &dyn Fn(&str) -> bool) -> String {
    let mut writer = YamlWriter { out: String::new(), must_quote };
    match value {
        Value::String(text) => writer.out.push_str(text),
        Value::Array(items) if !items.is_empty() => writer.write_list(items, 0, false),
        Value::Object(entries) if !entries.is_empty() => writer.write_map(entries, 0, false),
        // An empty array or object is a line as well.
        Value::Array(_) => writer.out.push_str("[]\n"),
        Value::Object(_) => writer.out.push_str("{}\n"),
        other => writer.out.push_str(&word(other)),
    }
    writer.out
}

struct YamlWriter<'w> {
    out: String,
    /// Whether a line could be mistaken for something else than a part of a value. It receives a
    /// line without its indentation.
    must_quote: &'w dyn Fn(&str) -> bool,
}

impl YamlWriter<'_> {
    /// Writes the items of a list after hyphens. The first one may continue the current line.
    fn write_list(&mut self, items: &[Value], indent: usize, mut is_begun: bool) {
        for item in items {
            self.begin_line(indent, &mut is_begun);
            self.out.push('-');
            match item {
                Value::Array(items) if !items.is_empty() => {
                    self.out.push(' ');
                    self.write_list(items, indent + INDENT, true);
                }
                Value::Object(entries) if !entries.is_empty() => {
                    self.out.push(' ');
                    self.write_map(entries, indent + INDENT, true);
                }
                other => self.write_scalar(other, indent + INDENT),
            }
        }
    }

    /// Writes the entries of a map. The first one may continue the current line.
    fn write_map(&mut self, entries: &Map, indent: usize, mut is_begun: bool) {
        for (name, value) in entries.iter() {
            // In a line that is begun, the key follows a hyphen.
            let key = match is_begun || !(self.must_quote)(&format!("{name}:")) {
                true => plain_or_quoted(name),
                false => quoted(name),
            };
            self.begin_line(indent, &mut is_begun);
            self.write_key(&key, indent);
            match value {
                // A list in a map is not indented.
                Value::Array(items) if !items.is_empty() => {
                    self.out.push('\n');
                    self.write_list(items, indent, false);
                }
                Value::Object(entries) if !entries.is_empty() => {
                    self.out.push('\n');
                    self.write_map(entries, indent + INDENT, false);
                }
                other => self.write_scalar(other, indent + INDENT),
            }
        }
    }

    /// Indents a new line. If a line is begun, only clears `is_begun`.
    fn begin_line(&mut self, indent: usize, is_begun: &mut bool) {
        if !std::mem::take(is_begun) {
            self.write_indent(indent);
        }
    }

    fn write_indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Writes a key, plain or in quotes, with its colon. Before a long one, YAML needs a `?`.
    fn write_key(&mut self, written: &str, indent: usize) {
        if written.chars().count() > MAX_INLINE_KEY {
            self.out.push_str("? ");
            self.out.push_str(written);
            self.out.push('\n');
            self.write_indent(indent);
        } else {
            self.out.push_str(written);
        }
        self.out.push(':');
    }

    /// Writes a word or a string after its key or hyphen, and ends the line.
    fn write_scalar(&mut self, value: &Value, indent: usize) {
        self.out.push(' ');
        match value {
            Value::String(text) if self.is_literal(text) => self.write_literal(text, indent),
            other => {
                self.out.push_str(&word(other));
                self.out.push('\n');
            }
        }
    }

    /// Whether a string can be written line by line.
    fn is_literal(&self, text: &str) -> bool {
        let is_line = |line: &str| {
            line.is_empty()
                || (line.chars().any(|c| !c.is_whitespace()) && !(self.must_quote)(line))
        };
        text.contains('\n')
            && !text.starts_with(char::is_whitespace)
            && !text.ends_with("\n\n")
            && text.chars().all(|character| character == '\n' || is_printable(character))
            && text.split('\n').all(is_line)
    }

    /// Writes a string of several lines unchanged, with each line indented.
    fn write_literal(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        // A `-` means that the text has no line break at its end.
        if !text.ends_with('\n') {
            self.out.push('-');
        }
        self.out.push('\n');
        for line in text.lines() {
            if !line.is_empty() {
                self.write_indent(indent);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }
}

/// A value in one line.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::String(text) => plain_or_quoted(text),
        Value::Array(_) | Value::Object(_) => value.to_json(),
    }
}

/// A float that every version of YAML reads as a float: `1.0e+16`.
fn float(number: f64) -> String {
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let shortest = format!("{number:?}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return shortest };
    // `1e16` and `1.5e-7` of Rust are `1.0e+16` and `1.5e-7` in YAML.
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

fn plain_or_quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a string needs no quotes. All strings are quoted that do not begin with a letter, or
/// with a dollar sign and a letter. YAML requires fewer quotes.
fn is_plain(text: &str) -> bool {
    let is_other = || NOT_STRINGS.iter().any(|word| word.eq_ignore_ascii_case(text));
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // In `a: b` and `a #b`, YAML reads a key or a comment.
        let ends_key =
            character == ':' && characters.peek().is_none_or(|next| next.is_whitespace());
        let begins_comment = character == '#' && before.is_whitespace();
        if !is_printable(character) || character == '\t' || ends_key || begins_comment {
            return false;
        }
        before = character;
    }
    let begins_as_word = text.strip_prefix('$').unwrap_or(text).starts_with(char::is_alphabetic);
    begins_as_word && !before.is_whitespace() && !is_other()
}

/// Whether a character inside of a line is read unchanged by every version of YAML.
fn is_printable(character: char) -> bool {
    let is_line_break = matches!(character, '\u{2028}' | '\u{2029}');
    let is_noncharacter = matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}');
    character == '\t' || !(character.is_control() || is_line_break || is_noncharacter)
}

/// A string in double quotes, in one line.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_json();
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if is_printable(character) && character != '\t' {
            written.push(character);
        } else {
            written.push_str(&format!("\\u{:04X}", u32::from(character)));
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{block, float};
    use crate::value::{Map, Value};

    #[test]
    fn containers_are_nested_in_block_style() {
        let value = Value::from_json(
            r#"{"a": [], "b": [1, [2, [3]], {"x": {"z": ["z"]}}], "c": {}, "d": "1", "e": "a\nb"}"#,
        )
        .unwrap();
        let expected = "a: []\nb:\n- 1\n- - 2\n  - - 3\n- x:\n    z:\n    - z\nc: {}\nd: \"1\"\n\
                        e: |-\n  a\n  b\n";
        assert_eq!(block(&value, &|_| false), expected);
    }

    #[test]
    fn a_string_that_yaml_reads_as_another_value_is_quoted() {
        for text in ["yes", "Null", "", " a", "a ", "a: b", "a #b", "- a", "12", "[INPUT]:", "a:"] {
            let value = Value::from(Map::from([("k", text)]));
            assert_eq!(block(&value, &|_| false), format!("k: \"{text}\"\n"));
        }
    }

    #[test]
    fn a_line_that_could_be_mistaken_is_quoted() {
        let value = r#"{"end": "a\nend: b", "x": [{"end": 1, "more": {"end": "c\nd"}}]}"#;
        let value = Value::from_json(value).unwrap();
        let expected =
            "\"end\": \"a\\nend: b\"\nx:\n- end: 1\n  more:\n    \"end\": |-\n      c\n      d\n";
        assert_eq!(block(&value, &|line| line.starts_with("end:")), expected);
    }

    #[test]
    fn floats_are_floats_in_every_version_of_yaml() {
        let written = [1e16, 1.5e-7, 3.0, -0.0, f64::NAN, f64::NEG_INFINITY].map(float);
        assert_eq!(written, ["1.0e+16", "1.5e-7", "3.0", "-0.0", ".nan", "-.inf"]);
    }
}
