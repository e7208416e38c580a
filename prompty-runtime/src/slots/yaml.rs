//! Writes values as YAML in block style, as blocks of a prompt show lists and maps. What is written reads
//! back to the same value in YAML 1.1 and 1.2.
//!
//! A text is a plain word, quoted in one line, or written line by line and indented.

use prompty_core::value::{Map, Value};

/// How deep each level is indented.
const INDENT: usize = 2;

/// How long a key may be to stand in one line with its value; YAML's own limit is 1024.
const LONGEST_KEY: usize = 1000;

/// Words that some version of YAML reads as something else than a text.
const OTHER_THAN_TEXT: [&str; 12] =
    ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// A value as a block of a prompt shows it: a text as it is, a list or a map as YAML with a line break
/// at its end, and anything else as one word.
pub(super) fn block(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(items) if !items.is_empty() => list(&mut out, items, 0, false),
        Value::Object(entries) if !entries.is_empty() => map(&mut out, entries, 0, false),
        // An empty list or map is a line as the others are.
        Value::Array(_) => out.push_str("[]\n"),
        Value::Object(_) => out.push_str("{}\n"),
        other => out.push_str(&word(other)),
    }
    out
}

/// Writes the items of a list, each behind a hyphen. The first one may stand in a line that was begun.
fn list(out: &mut String, items: &[Value], indent: usize, mut is_begun: bool) {
    for item in items {
        begin_line(out, indent, &mut is_begun);
        out.push('-');
        match item {
            Value::Array(items) if !items.is_empty() => {
                out.push(' ');
                list(out, items, indent + INDENT, true);
            }
            Value::Object(entries) if !entries.is_empty() => {
                out.push(' ');
                map(out, entries, indent + INDENT, true);
            }
            other => scalar(out, other, indent + INDENT),
        }
    }
}

/// Writes the entries of a map. The first one may stand in a line that was begun.
fn map(out: &mut String, entries: &Map, indent: usize, mut is_begun: bool) {
    for (name, value) in entries.iter() {
        begin_line(out, indent, &mut is_begun);
        key(out, name, indent);
        match value {
            // A list in a map is not indented.
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                list(out, items, indent, false);
            }
            Value::Object(entries) if !entries.is_empty() => {
                out.push('\n');
                map(out, entries, indent + INDENT, false);
            }
            other => scalar(out, other, indent + INDENT),
        }
    }
}

fn begin_line(out: &mut String, indent: usize, is_begun: &mut bool) {
    if !std::mem::take(is_begun) {
        out.extend(std::iter::repeat_n(' ', indent));
    }
}

fn key(out: &mut String, name: &str, indent: usize) {
    let written = plain_or_quoted(name);
    if written.chars().count() > LONGEST_KEY {
        out.push_str("? ");
        out.push_str(&written);
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
    } else {
        out.push_str(&written);
    }
    out.push(':');
}

/// Writes what is no list or map with entries behind its key or hyphen, and ends the line.
fn scalar(out: &mut String, value: &Value, indent: usize) {
    out.push(' ');
    match value {
        Value::String(text) if is_literal(text) => literal(out, text, indent),
        other => {
            out.push_str(&word(other));
            out.push('\n');
        }
    }
}

/// Writes a text of several lines as it is, each line indented.
fn literal(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if !text.ends_with('\n') {
        out.push('-');
    }
    out.push('\n');
    for line in text.lines() {
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// What takes one line.
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

/// A float that every version of YAML reads as one: `1.0e+16`.
fn float(number: f64) -> String {
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let shortest = format!("{number:?}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return shortest };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

fn plain_or_quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a text is the same without quotes. Texts that begin with anything but a letter, or a dollar sign
/// and a letter, are quoted, which is more than YAML asks for.
fn is_plain(text: &str) -> bool {
    let is_other = || OTHER_THAN_TEXT.iter().any(|word| word.eq_ignore_ascii_case(text));
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
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

/// Whether a text can be written line by line.
fn is_literal(text: &str) -> bool {
    let is_line = |line: &str| line.is_empty() || line.chars().any(|c| !c.is_whitespace());
    text.contains('\n')
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with("\n\n")
        && text.chars().all(|character| character == '\n' || is_printable(character))
        && text.split('\n').all(is_line)
}

/// Whether a character is the same inside of a line in every version of YAML.
fn is_printable(character: char) -> bool {
    let is_line_break = matches!(character, '\u{2028}' | '\u{2029}');
    let is_no_character = matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}');
    character == '\t' || !(character.is_control() || is_line_break || is_no_character)
}

/// A text in double quotes, in one line.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_json();
    let mut quoted = String::with_capacity(json.len());
    for character in json.chars() {
        if is_printable(character) && character != '\t' {
            quoted.push(character);
        } else {
            quoted.push_str(&format!("\\u{:04X}", u32::from(character)));
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::{block, float};
    use prompty_core::value::{Map, Value};

    #[test]
    fn containers_nest_as_block_style_does() {
        let value = Value::from_json(
            r#"{"a": [], "b": [1, [2, [3]], {"x": {"z": ["z"]}}], "c": {}, "d": "1", "e": "a\nb"}"#,
        )
        .unwrap();
        let expected = "a: []\nb:\n- 1\n- - 2\n  - - 3\n- x:\n    z:\n    - z\nc: {}\nd: \"1\"\n\
                        e: |-\n  a\n  b\n";
        assert_eq!(block(&value), expected);
    }

    #[test]
    fn a_text_that_yaml_reads_otherwise_is_quoted() {
        for text in ["yes", "Null", "", " a", "a ", "a: b", "a #b", "- a", "12", "[INPUT]:", "a:"] {
            let value = Value::from(Map::from([("k", text)]));
            assert_eq!(block(&value), format!("k: \"{text}\"\n"));
        }
    }

    #[test]
    fn floats_are_floats_in_every_version_of_yaml() {
        let written = [1e16, 1.5e-7, 3.0, -0.0, f64::NAN, f64::NEG_INFINITY].map(float);
        assert_eq!(written, ["1.0e+16", "1.5e-7", "3.0", "-0.0", ".nan", "-.inf"]);
    }
}
