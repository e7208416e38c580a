//! The filters that differ from the engine's own: what the Prompty subset says of them, and a
//! charge for everything that builds text.

use minijinja::value::{Kwargs, Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{Error as EngineError, State, filters as engine_filters};

use super::bridge::RichObject;
use super::bridge::engine_error;
use super::budget::Budget;
use crate::nonce::marker;
use prompty_core::error::{Error, ErrorKind};

/// What a value prints as in a prompt. A rich input has no text of its own.
pub(super) fn text_from_value(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<String, EngineError> {
    if let Some(text) = value.as_str() {
        return Ok(text.to_owned());
    }
    refuse_rich(value)?;
    Ok(budget.convert(state, value)?.to_string())
}

/// Refuses a rich input where a text or list is needed.
pub(super) fn refuse_rich(value: &EngineValue) -> Result<(), EngineError> {
    if value.downcast_object_ref::<RichObject>().is_none() {
        return Ok(());
    }
    let message = "a thread, image, file or audio can only be printed, not filtered";
    let help = "write `{{ name }}` where it belongs, without a filter or operator";
    Err(engine_error(Error::new(ErrorKind::Render, message).with_help(help)))
}

/// A text that was built, paid for.
fn charged(
    budget: Budget,
    state: &mut State<'_, '_>,
    text: String,
) -> Result<EngineValue, EngineError> {
    budget.charge(state, text.len())?;
    Ok(EngineValue::from(text))
}

pub(super) fn upper(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<EngineValue, EngineError> {
    let text = text_from_value(budget, state, value)?.to_uppercase();
    charged(budget, state, text)
}

pub(super) fn lower(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<EngineValue, EngineError> {
    let text = text_from_value(budget, state, value)?.to_lowercase();
    charged(budget, state, text)
}

/// Strips blanks, tabs and line breaks, or the given characters, from both ends.
pub(super) fn trim(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
    characters: Option<&str>,
) -> Result<EngineValue, EngineError> {
    let text = text_from_value(budget, state, value)?;
    let characters = characters.unwrap_or(" \t\r\n");
    let trimmed = text.trim_matches(|character| characters.contains(character)).to_owned();
    charged(budget, state, trimmed)
}

/// Joins the items of a list as they print.
pub(super) fn join(
    budget: Budget,
    state: &mut State<'_, '_>,
    list: &EngineValue,
    separator: Option<&EngineValue>,
) -> Result<EngineValue, EngineError> {
    let separator = match separator {
        Some(separator) => text_from_value(budget, state, separator)?,
        None => String::new(),
    };
    if list.is_undefined() || list.is_none() {
        return Ok(EngineValue::from(""));
    }
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let message = format!("`join` takes a list, not a {}", list.kind());
        return Err(engine_error(Error::new(ErrorKind::Render, message)));
    }
    let mut joined = String::new();
    for (index, item) in list.try_iter()?.enumerate() {
        let text = text_from_value(budget, state, &item)?;
        budget.charge(state, text.len() + separator.len())?;
        if index > 0 {
            joined.push_str(&separator);
        }
        joined.push_str(&text);
    }
    Ok(EngineValue::from(joined))
}

/// How many characters, items or entries there are; nothing has none.
pub(super) fn length(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.read_text(state, value)?;
    if value.is_undefined() || value.is_none() {
        return Ok(EngineValue::from(0));
    }
    if let Some(text) = value.as_str() {
        return Ok(EngineValue::from(text.chars().count()));
    }
    value.len().map(EngineValue::from).ok_or_else(|| {
        let message = format!("a {} has no length", value.kind());
        engine_error(Error::new(ErrorKind::Render, message))
    })
}

/// The first character or item; nothing has none.
pub(super) fn first(value: &EngineValue) -> Result<EngineValue, EngineError> {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::UNDEFINED) } else { engine_filters::first(value) }
}

/// The last character or item; nothing has none.
pub(super) fn last(value: EngineValue) -> Result<EngineValue, EngineError> {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::UNDEFINED) } else { engine_filters::last(value) }
}

/// A text or list turned round; what cannot be cut stays as it is.
pub(super) fn reversed(value: EngineValue) -> Result<EngineValue, EngineError> {
    match value.kind() {
        ValueKind::String | ValueKind::Seq | ValueKind::Iterable => value.reverse(),
        _ => Ok(value),
    }
}

/// The entries of a map; nothing has none.
pub(super) fn items(value: &EngineValue) -> Result<EngineValue, EngineError> {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::from_iter([(); 0])) } else { engine_filters::items(value) }
}

/// The fallback where there is nothing; with `true` behind it, also where the value is empty.
pub(super) fn default(
    value: EngineValue,
    fallback: Option<EngineValue>,
    also_empty: Option<bool>,
    named: &Kwargs,
) -> Result<EngineValue, EngineError> {
    let also_empty = match also_empty {
        Some(given) => given,
        None => named.get::<Option<bool>>("boolean")?.unwrap_or_default(),
    };
    named.assert_all_used()?;
    let missing = value.is_undefined() || value.is_none() || (also_empty && !value.is_true());
    Ok(if missing { fallback.unwrap_or_else(|| EngineValue::from("")) } else { value })
}

pub(super) fn replace(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
    from: &EngineValue,
    to: &EngineValue,
) -> Result<EngineValue, EngineError> {
    let text = text_from_value(budget, state, value)?;
    let (from, to) = (text_from_value(budget, state, from)?, text_from_value(budget, state, to)?);
    // What comes out is paid for before it is built.
    let grown = text.matches(from.as_str()).count().saturating_mul(to.len());
    budget.charge(state, text.len().saturating_add(grown))?;
    Ok(EngineValue::from(text.replace(&from, &to)))
}

/// Indents every line but the first (or every line, with `first=true`); empty lines only with
/// `blank=true`.
pub(super) fn indent(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
    width: Option<usize>,
    named: &Kwargs,
) -> Result<EngineValue, EngineError> {
    let named_width: Option<usize> = named.get("width")?;
    let width = width.or(named_width).unwrap_or(4);
    let first = named.get::<Option<bool>>("first")?.unwrap_or_default();
    let blank = named.get::<Option<bool>>("blank")?.unwrap_or_default();
    named.assert_all_used()?;
    let text = text_from_value(budget, state, value)?;
    let lines = text.split('\n').count();
    budget.charge(state, text.len().saturating_add(lines.saturating_mul(width)))?;
    let margin = " ".repeat(width);
    let mut indented = String::with_capacity(text.len() + lines * width);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        if (index > 0 || first) && (blank || !line.is_empty()) {
            indented.push_str(&margin);
        }
        indented.push_str(line);
    }
    Ok(EngineValue::from(indented))
}

pub(super) fn to_json(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<EngineValue, EngineError> {
    let json = budget.convert(state, value)?.to_json();
    charged(budget, state, json)
}

/// Whether a number can be divided by another without a rest; by zero none can.
pub(super) fn is_divisible_by(value: &EngineValue, divisor: &EngineValue) -> bool {
    match (value.as_i64(), divisor.as_i64()) {
        (Some(value), Some(divisor)) => value.checked_rem(divisor) == Some(0),
        _ => false,
    }
}

/// How many numbers a range has at most, as in the engine.
const LONGEST_RANGE: i128 = 100_000;

/// The numbers from `first` up to, but without, `second`; or from 0 to `first`. The engine's own
/// panics near the ends of its numbers.
pub(super) fn range(
    first: i64,
    second: Option<i64>,
    step: Option<i64>,
) -> Result<EngineValue, EngineError> {
    let (start, end) = second.map_or((0, first), |second| (first, second));
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step.unwrap_or(1)));
    let refuse = |message: &str| Err(engine_error(Error::new(ErrorKind::Render, message)));
    let distance = if step < 0 { start - end } else { end - start };
    let count = match step.abs() {
        0 => return refuse("a range cannot have a step of 0"),
        step => (distance.max(0) + step - 1) / step,
    };
    if count > LONGEST_RANGE {
        return refuse("the range has more than 100000 numbers");
    }
    Ok((0..count).map(|index| EngineValue::from(start + index * step)).collect())
}

/// A text that a render wrote as data: its markers are lines like others, and it has no fences.
pub(super) fn without_structure(text: &str, nonce: &str) -> String {
    let mut pieces = text.split(nonce);
    let mut unfenced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let opened = piece.strip_prefix(':').and_then(|rest| rest.split_once(';'));
        let is_index = |index: &str| index.bytes().all(|byte| byte.is_ascii_digit());
        if let Some((_, rest)) = opened.filter(|(index, _)| is_index(index)) {
            unfenced.push_str(rest);
        } else if let Some(rest) = piece.strip_prefix(';') {
            unfenced.push_str(rest);
        } else {
            unfenced.push_str(nonce);
            unfenced.push_str(piece);
        }
    }
    marker::without_nonce(&unfenced, nonce)
}

/// A filter or function of the engine: what it reads and what it gives is paid for.
pub(super) fn paid(
    budget: Budget,
    inner: EngineValue,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<EngineValue, EngineError> {
    let read = read(budget, inner);
    move |state, arguments| {
        let result = read(state, arguments)?;
        budget.pay(state, result)
    }
}

/// A test of the engine: what it reads is paid for.
pub(super) fn read(
    budget: Budget,
    inner: EngineValue,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<EngineValue, EngineError> {
    move |state, arguments| {
        let arguments = arguments.into_values();
        for argument in &arguments {
            refuse_rich(argument)?;
            budget.read(state, argument)?;
        }
        inner.call(state, &arguments)
    }
}
