//! Parses type expressions as the requirement shows them: `list[int]`, `str | NoneType`,
//! `Literal[calm, angry]`.

use crate::value::Value;

use super::Shape;

/// The maximum nesting of types.
const MAX_DEPTH: usize = 32;

/// The shape of a type expression. `None` if the text is not a type and therefore a description.
pub(super) fn read(text: &str) -> Option<Shape> {
    read_at(text, 0)
}

/// Like [`read`], for a type inside of `depth` others.
fn read_at(text: &str, depth: usize) -> Option<Shape> {
    if depth > MAX_DEPTH {
        return None;
    }
    let read_inside = |text: &str| read_at(text, depth + 1);
    let read_all = |text, separator| {
        split(text, separator)?.into_iter().map(read_inside).collect::<Option<Vec<Shape>>>()
    };
    if split(text, " | ")?.len() > 1 {
        return Some(Shape::one_of(read_all(text, " | ")?));
    }
    Some(match text {
        "Any" => Shape::any(),
        "NoneType" => Shape::null(),
        "bool" => Shape::boolean(),
        "int" => Shape::integer(),
        "float" => Shape::number(),
        "str" => Shape::text(),
        "list" => Shape::list(),
        "dict" => Shape::map(),
        _ => {
            let (name, arguments) = text.strip_suffix(']')?.split_once('[')?;
            match name {
                "list" => Shape::list_of_each(read_all(arguments, " | ")?).inline(),
                "tuple" => Shape::tuple(read_all(arguments, ", ")?).inline(),
                "dict" => Shape::map_of(read_inside(arguments.strip_prefix("str, ")?)?),
                "Literal" => {
                    let values = split(arguments, ", ")?;
                    Shape::literals(
                        values.into_iter().map(read_literal).collect::<Option<Vec<_>>>()?,
                    )
                }
                _ => return None,
            }
        }
    })
}

/// Splits a text at separators outside of brackets and quotes. `None` if brackets or quotes are not
/// closed, or if a part is empty.
fn split<'t>(text: &'t str, separator: &str) -> Option<Vec<&'t str>> {
    let mut parts = Vec::new();
    let (mut depth, mut in_quotes, mut escaped) = (0_usize, false, false);
    let mut start = 0;
    for (at, character) in text.char_indices() {
        if in_quotes {
            in_quotes = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '"' => in_quotes = true,
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && at >= start && text.get(at..)?.starts_with(separator) => {
                parts.push(text.get(start..at)?);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(text.get(start..)?);
    (depth == 0 && !in_quotes && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

/// A literal: JSON, or a string without quotes.
fn read_literal(text: &str) -> Option<Value> {
    match Value::from_json(text) {
        Ok(value) => Some(value),
        Err(_) if text.trim() == text && !text.contains(['"', '[', ']', '|']) => {
            Some(Value::from(text))
        }
        Err(_) => None,
    }
}
