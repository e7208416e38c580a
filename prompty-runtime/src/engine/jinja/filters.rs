//! The filters and functions that replace the engine's own. They follow the Prompty subset, or
//! charge for what they build before they build it.

use std::borrow::Cow;
use std::fmt::{self, Write};

use minijinja::value::{Kwargs, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    Error as EngineError, ErrorKind as EngineErrorKind, filters as engine_filters,
    functions as engine_functions,
};

use super::bridge::{self, EngineResult, engine_error};
use super::budget::{Meter, MeteredText};
use super::builtin_arguments::BuiltinArguments;
use super::costs::{ALLOCATION, CHARACTER, ITEM, SEARCHED, SLOT, text_room};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::text::CharacterSet;
use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, JsonWriter};
use prompty_core::work::add_steps;
use prompty_template::jinja::methods::{self as python, Truncation, TruncationCut};
use prompty_template::jinja::syntax::MAX_ATTRIBUTES;
use prompty_template::role_markers::syntax;

/// Converts a value into the text that it prints. A rich input is an error.
pub(super) fn text_from_value<'v>(
    meter: &mut Meter<'_, '_, '_>,
    value: &'v EngineValue,
) -> EngineResult<Cow<'v, str>> {
    if let Some(text) = value.as_str() {
        return Ok(Cow::Borrowed(text));
    }
    bridge::refuse_rich(value)?;
    meter.charge_read(value)?;
    let value = meter.convert(value)?;
    Ok(Cow::Owned(write_metered(meter, |out| write!(out, "{value}"))?))
}

/// Writes a text that is charged while it is written.
fn write_metered(
    meter: &mut Meter<'_, '_, '_>,
    write: impl FnOnce(&mut MeteredText<'_, '_, '_, '_>) -> fmt::Result,
) -> EngineResult<String> {
    let mut out = MeteredText::new(meter);
    // Only the charge can fail, and `finish` reports that.
    let _ = write(&mut out);
    out.finish()
}

pub(super) fn upper(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    let text = text_from_value(meter, value)?;
    charge_case_change(meter, &text, |text| text.chars().flat_map(char::to_uppercase))?;
    Ok(EngineValue::from(text.to_uppercase()))
}

pub(super) fn lower(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    let text = text_from_value(meter, value)?;
    // The lower case of a character may depend on its neighbours, but its length does not.
    charge_case_change(meter, &text, |text| text.chars().flat_map(char::to_lowercase))?;
    Ok(EngineValue::from(text.to_lowercase()))
}

/// Charges for a text in another case. Its length is counted first.
fn charge_case_change<'t, I: Iterator<Item = char>>(
    meter: &mut Meter<'_, '_, '_>,
    text: &'t str,
    changed: impl FnOnce(&'t str) -> I,
) -> EngineResult<()> {
    meter.charge_read_bytes(text.len())?;
    let length = if text.is_ascii() {
        text.len()
    } else {
        meter.charge_read_bytes(text.len().saturating_mul(CHARACTER))?;
        changed(text).map(char::len_utf8).sum()
    };
    meter.charge(text_room(length))?;
    add_steps(text.len() + length);
    Ok(())
}

/// Strips spaces, tabs and line breaks, or the given characters, from both ends.
pub(super) fn trim(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    characters: Option<&str>,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    let characters = characters.unwrap_or(" \t\r\n");
    charge_lookups(meter, text.as_ref(), characters)?;
    let set = CharacterSet::new(characters);
    let trimmed = text.trim_matches(|character| set.contains(character));
    add_steps(text.len() - trimmed.len());
    copy_text(meter, trimmed)
}

/// Charges for making a set of characters and looking up each character of a text.
pub(super) fn charge_lookups(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    characters: &str,
) -> EngineResult<()> {
    // Characters outside ASCII are sorted and looked up by binary search.
    let lookups = match characters.is_ascii() {
        true => 1,
        false => characters.len().ilog2() as usize + 1,
    };
    let read = text.len().saturating_add(characters.len()).saturating_mul(lookups);
    meter.charge_read_bytes(read)?;
    add_steps(characters.len());
    Ok(())
}

/// Copies a text into a value.
pub(super) fn copy_text(meter: &mut Meter<'_, '_, '_>, text: &str) -> EngineResult {
    meter.charge(text_room(text.len()))?;
    add_steps(text.len());
    Ok(EngineValue::from(text))
}

/// Joins the items of a list as they print, or an attribute of each, such as `author.name`.
pub(super) fn join(
    meter: &mut Meter<'_, '_, '_>,
    list: &EngineValue,
    separator: Option<&EngineValue>,
    attribute: Option<&str>,
) -> EngineResult {
    let separator = match separator {
        Some(separator) => text_from_value(meter, separator)?,
        None => Cow::Borrowed(""),
    };
    if is_nothing(list) {
        return Ok(EngineValue::from(""));
    }
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let message = format!("`join` expects a list, found {}", bridge::kind_name(list));
        return Err(engine_error(Error::new(ErrorKind::Render, message).with_help("pass a list")));
    }
    let path = attribute.map_or(0, str::len);
    let read = list.len().unwrap_or_default().saturating_mul(ITEM.saturating_add(path));
    meter.charge_read_bytes(read)?;
    let mut joined = String::new();
    for (index, item) in list.try_iter()?.enumerate() {
        let item = match attribute {
            Some(path) => value_at_path(&item, path)?,
            None => item,
        };
        let text = text_from_value(meter, &item)?;
        meter.charge(text.len().saturating_add(separator.len()))?;
        add_steps(text.len().saturating_add(separator.len()));
        if index > 0 {
            joined.push_str(&separator);
        }
        joined.push_str(&text);
    }
    Ok(EngineValue::from(joined))
}

/// The value at a path such as `author.name`.
fn value_at_path(value: &EngineValue, path: &str) -> EngineResult {
    add_steps(path.len());
    path.split('.').try_fold(value.clone(), |value, name| match name.parse() {
        Ok(index) => value.get_item_by_index(index),
        Err(_) => value.get_attr(name),
    })
}

/// Splits a text at a separator, or at white space without one.
pub(super) fn split(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    separator: Option<&EngineValue>,
    most: Option<i64>,
) -> EngineResult {
    bridge::refuse_rich(value)?;
    let text = text_to_split("split", value)?;
    let separator = separator.map(|it| text_to_split("split", it)).transpose()?;
    let search_cost = separator.map_or(0, str::len).saturating_mul(SEARCHED);
    meter.charge_read_bytes((2 * text.len()).saturating_add(search_cost))?;
    // `most` is the number of splits. A negative number means all.
    let max_pieces = match most.and_then(|most| usize::try_from(most).ok()) {
        Some(most) => most.saturating_add(1),
        None => usize::MAX,
    };
    let pieces = match separator {
        Some(separator) => text_list(meter, text.splitn(max_pieces, separator)),
        None if max_pieces == usize::MAX => text_list(meter, text.split_whitespace()),
        None => text_list(meter, words(text, max_pieces)),
    };
    pieces.map(EngineValue::from)
}

/// Splits a text into lines.
pub(super) fn lines(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    bridge::refuse_rich(value)?;
    let text = text_to_split("lines", value)?;
    meter.charge_read_bytes(2 * text.len())?;
    text_list(meter, text.lines()).map(EngineValue::from)
}

/// The text of a string. Unlike other filters, those that split do not accept other values.
fn text_to_split<'v>(filter: &str, value: &'v EngineValue) -> EngineResult<&'v str> {
    value.as_str().ok_or_else(|| {
        let message = format!("`{filter}` expects a string, found {}", bridge::kind_name(value));
        EngineError::new(EngineErrorKind::InvalidOperation, message)
    })
}

/// Splits a text into words, into at most `most` pieces, as the engine does. The last piece is the
/// rest of the text. White space after the last word is also a piece.
///
/// `" a  b c "` gives at most two pieces `a`, `b c `; at most four `a`, `b`, `c`, ` `.
#[expect(clippy::string_slice, reason = "`char_indices` returns character boundaries")]
fn words(text: &str, most: usize) -> impl Iterator<Item = &str> + Clone {
    let mut characters = text.char_indices();
    let mut pieces = 1;
    // The start of the word that is being read.
    let mut word = None;
    // The start of the last piece.
    let mut rest = 0;
    std::iter::from_fn(move || {
        for (index, character) in characters.by_ref() {
            if character.is_whitespace() && (pieces < most || word.is_none()) {
                if let Some(start) = word.take() {
                    rest = index;
                    pieces += 1;
                    return Some(&text[start..index]);
                }
            } else if word.is_none() {
                word = Some(index);
                rest = index;
            }
        }
        let last = &text[rest..];
        rest = text.len();
        (!last.is_empty()).then_some(last)
    })
}

/// Makes a list of strings. The iterator runs twice: to count and charge, and to copy.
pub(super) fn text_list<'t>(
    meter: &mut Meter<'_, '_, '_>,
    pieces: impl Iterator<Item = &'t str> + Clone,
) -> EngineResult<Vec<EngineValue>> {
    let (mut count, mut room) = (0_usize, ALLOCATION);
    for piece in pieces.clone() {
        count += 1;
        room = room.saturating_add(SLOT).saturating_add(text_room(piece.len()));
        add_steps(piece.len());
        // Counting stops if the budget does not allow the pieces.
        meter.check_room(room)?;
    }
    meter.charge(room)?;
    let mut texts = Vec::with_capacity(count);
    texts.extend(pieces.map(EngineValue::from));
    add_steps(room);
    Ok(texts)
}

/// The number of characters, items or entries; 0 for an undefined value.
pub(super) fn length(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    meter.charge_read_text(value)?;
    if is_nothing(value) {
        return Ok(EngineValue::from(0));
    }
    if let Some(text) = value.as_str() {
        return Ok(EngineValue::from(text.chars().count()));
    }
    value.len().map(EngineValue::from).ok_or_else(|| {
        let message = format!("{} has no length", bridge::kind_name(value));
        let help = "use `length` only for strings, lists and maps";
        engine_error(Error::new(ErrorKind::Render, message).with_help(help))
    })
}

/// Whether a value is missing. The filters treat `none` and an undefined value alike.
fn is_nothing(value: &EngineValue) -> bool {
    value.is_none() || value.is_undefined()
}

/// The first character or item.
pub(super) fn first(value: &EngineValue) -> EngineResult {
    if is_nothing(value) { Ok(EngineValue::UNDEFINED) } else { engine_filters::first(value) }
}

/// The last character or item.
pub(super) fn last(value: EngineValue) -> EngineResult {
    if is_nothing(&value) { Ok(EngineValue::UNDEFINED) } else { engine_filters::last(value) }
}

/// Reverses a string or list; other values stay the same.
pub(super) fn reverse(value: EngineValue) -> EngineResult {
    match value.kind() {
        ValueKind::String | ValueKind::Seq | ValueKind::Iterable => value.reverse(),
        _ => Ok(value),
    }
}

/// The entries of a map.
pub(super) fn items(value: &EngineValue) -> EngineResult {
    if is_nothing(value) {
        return Ok(EngineValue::from_iter([(); 0]));
    }
    engine_filters::items(value)
}

/// Replaces a missing value by the fallback. With `boolean=true`, also replaces an empty one.
pub(super) fn default(
    value: EngineValue,
    fallback: Option<EngineValue>,
    replaces_empty: Option<bool>,
    named: &Kwargs,
) -> EngineResult {
    let replaces_empty = match replaces_empty {
        Some(replaces_empty) => replaces_empty,
        None => named.get::<Option<bool>>("boolean")?.unwrap_or_default(),
    };
    named.assert_all_used()?;
    let is_replaced = is_nothing(&value) || (replaces_empty && !value.is_true());
    Ok(if is_replaced { fallback.unwrap_or_else(|| EngineValue::from("")) } else { value })
}

/// Replaces all occurrences of a text by another.
pub(super) fn replace(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    from: &EngineValue,
    to: &EngineValue,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    let (from, to) = (text_from_value(meter, from)?, text_from_value(meter, to)?);
    // The text is searched twice: before the charge, and to make the result.
    meter.charge_read_bytes(4 * text.len().saturating_add(from.len()))?;
    let added = text.matches(&*from).count().saturating_mul(to.len());
    let length = text.len().saturating_add(added);
    meter.charge(text_room(length))?;
    add_steps(2 * (text.len() + from.len()) + length);
    Ok(EngineValue::from(text.replace(&*from, &to)))
}

/// Indents each line except the first; with `first=true` all lines. Empty lines are indented only
/// with `blank=true`.
pub(super) fn indent(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    width: Option<usize>,
    named: &Kwargs,
) -> EngineResult {
    let named_width: Option<usize> = named.get("width")?;
    let width = width.or(named_width).unwrap_or(4);
    let first = named.get::<Option<bool>>("first")?.unwrap_or_default();
    let blank = named.get::<Option<bool>>("blank")?.unwrap_or_default();
    named.assert_all_used()?;
    let text = text_from_value(meter, value)?;
    meter.charge_read_bytes(text.len())?;
    let lines = text.split('\n').count();
    meter.charge(text.len().saturating_add(lines.saturating_mul(width)))?;
    add_steps(text.len() + lines * width);
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

/// The maximum indentation of a JSON level.
const WIDEST_INDENT: i64 = 64;

/// Writes JSON on one line, or with `indent` each value on its own line.
pub(super) fn to_json(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let indent = arguments.number(0, "indent")?;
    meter.charge_read(value)?;
    let value = meter.convert(value)?;
    let spaces = indent.map(|width| width.clamp(0, WIDEST_INDENT));
    let spaces = spaces.map(|width| " ".repeat(usize::try_from(width).unwrap_or_default()));
    let style = match &spaces {
        Some(spaces) => JsonStyle { indent: Some(spaces), ..JsonStyle::INDENTED },
        None => JsonStyle::SPACED,
    };
    let json = write_metered(meter, |out| JsonWriter::new(out, style).value(&value))?;
    Ok(EngineValue::from(json))
}

/// Shortens a text that is too long, and appends `...` or another end.
pub(super) fn truncate(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let end = arguments.get(2, "end");
    let kills_words = arguments.get(1, "killwords").is_some_and(|kills| kills.is_true());
    let text = text_from_value(meter, value)?;
    let end = match &end {
        Some(end) => text_from_value(meter, end)?,
        None => Cow::Borrowed("..."),
    };
    let truncation = Truncation {
        length: arguments.width(0, "length")?.unwrap_or(255),
        end: &end,
        leeway: arguments.width(3, "leeway")?.unwrap_or(5),
        cut: if kills_words { TruncationCut::Anywhere } else { TruncationCut::AfterWord },
    };
    meter.charge_read_bytes(text.len().saturating_add(end.len()).saturating_mul(2))?;
    add_steps(text.len() + end.len());
    let Some(kept) = python::truncated(&text, &truncation) else {
        return copy_text(meter, &text);
    };
    let length = kept.len().saturating_add(end.len());
    meter.charge(text_room(length))?;
    add_steps(length);
    Ok(EngineValue::from(format!("{kept}{end}")))
}

/// Converts a value into the string that it prints.
pub(super) fn string(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if value.as_str().is_some() {
        return Ok(value);
    }
    text_from_value(meter, &value).map(|text| EngineValue::from(text.into_owned()))
}

/// Whether a number is divisible by another. No number is divisible by zero.
pub(super) fn is_divisible_by(value: &EngineValue, divisor: &EngineValue) -> bool {
    match (value.as_i64(), divisor.as_i64()) {
        (Some(value), Some(divisor)) => value.checked_rem(divisor) == Some(0),
        _ => false,
    }
}

/// The maximum length of a range, as in the engine.
const LONGEST_RANGE: i128 = 100_000;

/// The numbers from `first` to `second`, which is excluded, or from 0 to `first`. The engine's own
/// `range` panics near the limits of `i64`.
pub(super) fn range(
    meter: &mut Meter<'_, '_, '_>,
    first: i64,
    second: Option<i64>,
    step: Option<i64>,
) -> EngineResult {
    let (start, end) = second.map_or((0, first), |second| (first, second));
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step.unwrap_or(1)));
    let refuse = |message: &str, help: &str| {
        Err(engine_error(Error::new(ErrorKind::Render, message).with_help(help)))
    };
    let distance = if step < 0 { start - end } else { end - start };
    let count = match step.abs() {
        0 => return refuse("the step of `range` is 0", "write another step, or remove it"),
        step => (distance.max(0) + step - 1) / step,
    };
    if count > LONGEST_RANGE {
        let help = "loop over a list that the program passes";
        return refuse("`range` has more than 100000 numbers", help);
    }
    let room = usize::try_from(count).unwrap_or_default().saturating_mul(SLOT);
    meter.charge(room.saturating_add(ALLOCATION))?;
    Ok((0..count).map(|index| bridge::to_engine(&Value::Integer(start + index * step))).collect())
}

/// Combines lists into rows, as many as the shortest list has items.
pub(super) fn zip(meter: &mut Meter<'_, '_, '_>, lists: &[EngineValue]) -> EngineResult {
    let mut shortest = usize::MAX;
    for list in lists {
        bridge::refuse_rich(list)?;
        meter.charge_walk(list)?;
        let length = match (list.as_str(), list.kind()) {
            (Some(text), _) => text.chars().count(),
            (None, ValueKind::Seq | ValueKind::Iterable) => list.len().unwrap_or_default(),
            (None, ValueKind::Map) => {
                meter.charge_read_bytes(list.len().unwrap_or_default().saturating_mul(ITEM))?;
                list.len().unwrap_or_default()
            }
            (None, _) => {
                let message = format!("`zip` expects lists, found {}", bridge::kind_name(list));
                let error = Error::new(ErrorKind::Render, message);
                return Err(engine_error(error.with_help("pass lists: `zip(a, b)`")));
            }
        };
        shortest = shortest.min(length);
    }
    let count = if lists.is_empty() { 0 } else { shortest };
    let each = lists.len().saturating_mul(SLOT).saturating_add(ALLOCATION + SLOT);
    meter.charge(count.saturating_mul(each).saturating_add(ALLOCATION))?;
    add_steps(count.saturating_mul(each));
    let mut columns = lists.iter().map(EngineValue::try_iter).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        let row: Vec<EngineValue> = columns.iter_mut().filter_map(Iterator::next).collect();
        rows.push(EngineValue::from(row));
    }
    meter.materialize(EngineValue::from(rows))
}

/// The maximum number of attributes that a namespace starts with. Using a namespace as a
/// condition makes the engine list them all.
const LARGEST_NAMESPACE: usize = MAX_ATTRIBUTES;

/// Makes a namespace, whose attributes `set` can change inside a loop.
pub(super) fn namespace(defaults: Option<ValueOrKwargs>) -> EngineResult {
    let entries = defaults.clone().and_then(|defaults| defaults.into_value().len());
    if entries.unwrap_or_default() > LARGEST_NAMESPACE {
        let message =
            format!("a namespace cannot start with more than {LARGEST_NAMESPACE} attributes");
        let error = Error::new(ErrorKind::Limit, message);
        return Err(engine_error(error.with_help("assign the map to an attribute")));
    }
    engine_functions::namespace(defaults)
}

/// Removes the fences (see [`Marks::Fences`](crate::engine::Marks)) and marker nonces of a rendered
/// text, so that it is plain data. With `N` as the nonce, `N:0;AdaN;` becomes `Ada`, and
/// `user[nonce=N]:` becomes `user:`.
pub(super) fn without_structure(text: &str, nonce: &str) -> String {
    let mut pieces = text.split(nonce);
    let mut unfenced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // `:index;` opens a fence, and `;` closes it.
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
    syntax::without_nonce(&unfenced, nonce)
}
