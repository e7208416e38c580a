//! Generates text as models write it: with damage that a reader repairs, in prose and fences,
//! truncated, and in pieces.

use prompty_core::value::Value;
use proptest::prelude::*;

/// The style in which a model writes a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    quote: char,
    bare_keys: bool,
    python: bool,
    trailing_commas: bool,
    /// The comment before each value.
    pub(crate) comment: &'static str,
    no_commas: bool,
    raw_breaks: bool,
}

pub(crate) fn style() -> impl Strategy<Value = Style> {
    let comment = prop_oneof![
        3 => Just(""),
        1 => Just("/* what follows */ "),
        1 => Just("// it's \"this\", [1]: {\n"),
        1 => Just("# and, so: }\n"),
    ];
    (any::<bool>(), comment, any::<[bool; 5]>()).prop_map(|(single, comment, flags)| Style {
        quote: if single { '\'' } else { '"' },
        bare_keys: flags[0],
        python: flags[1],
        trailing_commas: flags[2],
        comment,
        no_commas: flags[3],
        raw_breaks: flags[4],
    })
}

pub(crate) fn write(value: &Value, style: Style, out: &mut String) {
    match value {
        Value::Null if style.python => out.push_str("None"),
        Value::Bool(true) if style.python => out.push_str("True"),
        Value::Bool(false) if style.python => out.push_str("False"),
        Value::String(text) => write_text(text, style, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, style, out);
                write(item, style, out);
            }
            end(items.is_empty(), style, out);
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                separate(index, style, out);
                if style.bare_keys {
                    out.push_str(key);
                } else {
                    write_text(key, style, out);
                }
                out.push_str(": ");
                write(value, style, out);
            }
            end(map.is_empty(), style, out);
            out.push('}');
        }
        other => out.push_str(&other.to_json()),
    }
}

fn separate(index: usize, style: Style, out: &mut String) {
    if index > 0 {
        out.push_str(if style.no_commas { "\n" } else { ", " });
    }
    out.push_str(style.comment);
}

fn end(is_empty: bool, style: Style, out: &mut String) {
    if style.trailing_commas && !is_empty {
        out.push(',');
    }
}

fn write_text(text: &str, style: Style, out: &mut String) {
    out.push(style.quote);
    for character in text.chars() {
        match character {
            '\n' if style.raw_breaks => out.push('\n'),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            it if it == style.quote => {
                out.push('\\');
                out.push(it);
            }
            it => out.push(it),
        }
    }
    out.push(style.quote);
}

pub(crate) fn around() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        Just(("", "")),
        Just(("```json\n", "\n```")),
        Just(("Here it is:\n\n", "\n\nAnything else?")),
        Just(("<think>Maybe {\"a\": 1}?</think>\n", "")),
        Just(("Sure!\n```\n", "\n```\nDone.")),
    ]
}

/// The pieces of a text, split at places that depend on the numbers.
pub(crate) fn pieces<'text>(text: &'text str, cuts: &[usize]) -> Vec<&'text str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    at.retain(|it| text.is_char_boundary(*it));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|it| &text[it[0]..it[1]]).collect()
}

/// The beginning of a text, up to a place that depends on the number.
pub(crate) fn until(text: &str, cut: usize) -> &str {
    &text[..text.floor_char_boundary(cut % (text.len() + 1))]
}
