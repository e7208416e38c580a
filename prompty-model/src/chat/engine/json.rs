//! `tojson`: JSON as Python's `json.dumps` writes it.

use std::fmt::Write as _;

use super::print::write_float;
use super::run::{Arguments, MAX_NESTING, Run};
use super::value::{Fault, Outcome, Val};

/// How JSON is written.
struct Style {
    ensure_ascii: bool,
    indent: Option<String>,
    item: String,
    key: String,
    sort_keys: bool,
}

/// The filter `tojson`.
pub(super) fn to_json(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let is_true = |value: Option<&Val>| value.is_some_and(|value| run.is_true(value));
    let indent = match arguments.get(1, "indent") {
        None | Some(Val::None | Val::Undefined) => None,
        Some(indent) => match (indent.as_integer(), indent.as_str()) {
            (Some(width), _) => Some(" ".repeat(usize::try_from(width.clamp(0, 64)).unwrap_or(0))),
            (None, Some(text)) => Some(text.to_owned()),
            _ => return Err(Fault::render("`indent` must be a number or a text")),
        },
    };
    let (mut item, mut key) = (", ".to_owned(), ": ".to_owned());
    if indent.is_some() {
        ",".clone_into(&mut item);
    }
    if let Some(Val::List(id) | Val::Tuple(id)) = arguments.get(2, "separators")
        && let [first, second] = run.heap.list(*id)
        && let (Some(first), Some(second)) = (first.as_str(), second.as_str())
    {
        first.clone_into(&mut item);
        second.clone_into(&mut key);
    }
    let style = Style {
        ensure_ascii: is_true(arguments.get(0, "ensure_ascii")),
        indent,
        item,
        key,
        sort_keys: is_true(arguments.get(3, "sort_keys")),
    };
    let mut json = String::new();
    write(run, &style, value, &mut json, 0)?;
    run.made(json)
}

fn write(run: &Run<'_>, style: &Style, value: &Val, out: &mut String, depth: usize) -> Outcome<()> {
    if depth > MAX_NESTING {
        return Err(Fault::limit("a value is nested too deep for JSON"));
    }
    run.pay(1)?;
    if out.len() > run.limits.max_output.saturating_mul(4) {
        return Err(Fault::limit("the template builds more text than it may"));
    }
    match value {
        Val::None => out.push_str("null"),
        Val::Bool(true) => out.push_str("true"),
        Val::Bool(false) => out.push_str("false"),
        Val::Integer(number) => drop(write!(out, "{number}")),
        Val::Float(number) => write_number(*number, out),
        Val::String(text) | Val::Safe(text) => {
            run.pay_read(text.len())?;
            write_string(text, style.ensure_ascii, out);
        }
        Val::List(id) | Val::Tuple(id) => {
            let items = run.heap.list(*id);
            if items.is_empty() {
                out.push_str("[]");
                return Ok(());
            }
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    run.push(out, &style.item)?;
                }
                new_line(run, style, depth + 1, out)?;
                write(run, style, item, out, depth + 1)?;
            }
            new_line(run, style, depth, out)?;
            out.push(']');
        }
        Val::Dict(id) => write_dict(run, style, *id, out, depth)?,
        other => {
            let message = format!("a value of type {} cannot be JSON", other.type_name());
            return Err(Fault::render(message));
        }
    }
    Ok(())
}

fn write_dict(
    run: &Run<'_>,
    style: &Style,
    id: u32,
    out: &mut String,
    depth: usize,
) -> Outcome<()> {
    let dict = run.heap.dict(id);
    if dict.entries.is_empty() {
        out.push_str("{}");
        return Ok(());
    }
    let mut entries: Vec<&(Val, Val)> = dict.entries.iter().collect();
    if style.sort_keys {
        run.pay(entries.len())?;
        entries.sort_by(|(a, _), (b, _)| {
            a.as_str().unwrap_or_default().cmp(b.as_str().unwrap_or_default())
        });
    }
    out.push('{');
    for (index, (name, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            run.push(out, &style.item)?;
        }
        new_line(run, style, depth + 1, out)?;
        let mut written = String::new();
        let name = match name {
            Val::String(name) | Val::Safe(name) => name,
            Val::None => "null",
            Val::Bool(true) => "true",
            Val::Bool(false) => "false",
            Val::Integer(number) => {
                let _ = write!(written, "{number}");
                &written
            }
            Val::Float(number) => {
                write_number(*number, &mut written);
                &written
            }
            other => {
                let message = format!("a {} cannot be a key in JSON", other.type_name());
                return Err(Fault::render(message));
            }
        };
        write_string(name, style.ensure_ascii, out);
        run.push(out, &style.key)?;
        write(run, style, value, out, depth + 1)?;
    }
    new_line(run, style, depth, out)?;
    out.push('}');
    Ok(())
}

fn new_line(run: &Run<'_>, style: &Style, depth: usize, out: &mut String) -> Outcome<()> {
    if let Some(indent) = &style.indent {
        out.push('\n');
        for _ in 0..depth {
            run.push(out, indent)?;
        }
    }
    Ok(())
}

fn write_number(number: f64, out: &mut String) {
    if number.is_finite() {
        write_float(number, out);
    } else if number.is_nan() {
        out.push_str("NaN");
    } else {
        out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
}

pub(super) fn write_string(text: &str, ensure_ascii: bool, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (index, character) in text.char_indices() {
        let is_plain = match character {
            '"' | '\\' => false,
            _ if character < ' ' => false,
            _ => !ensure_ascii || character <= '~',
        };
        if is_plain {
            continue;
        }
        out.push_str(text.get(plain..index).unwrap_or_default());
        plain = index + character.len_utf8();
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}
