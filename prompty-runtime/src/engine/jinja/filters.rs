//! The filters and functions that differ from the engine's own: what the Prompty subset says of them,
//! or what they build, which is counted and paid for before it is built.

use std::borrow::Cow;
use std::fmt::{self, Write};

use minijinja::value::{Kwargs, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    Error as EngineError, ErrorKind as EngineErrorKind, filters as engine_filters,
    functions as engine_functions,
};

use super::bridge::{self, EngineResult, engine_error};
use super::budget::{Meter, PaidText};
use super::costs::{ALLOCATION, ITEM, LETTER, SLOT, SOUGHT, text_room};
use super::given::Given;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::text::CharacterSet;
use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, JsonWriter};
use prompty_core::work::add_steps;
use prompty_template::jinja::methods::{self as python, Truncation, TruncationCut};
use prompty_template::jinja::syntax::MOST_ATTRIBUTES;
use prompty_template::role_markers::syntax;

/// What a value prints as in a prompt. A rich input has no text of its own.
pub(super) fn text_from_value<'v>(
    meter: &mut Meter<'_, '_, '_>,
    value: &'v EngineValue,
) -> EngineResult<Cow<'v, str>> {
    if let Some(text) = value.as_str() {
        return Ok(Cow::Borrowed(text));
    }
    bridge::refuse_rich(value)?;
    meter.read(value)?;
    let value = meter.convert(value)?;
    Ok(Cow::Owned(written(meter, |out| write!(out, "{value}"))?))
}

/// A text that is paid for while it is written.
fn written(
    meter: &mut Meter<'_, '_, '_>,
    write: impl FnOnce(&mut PaidText<'_, '_, '_, '_>) -> fmt::Result,
) -> EngineResult<String> {
    let mut out = PaidText::new(meter);
    // What fails is the payment, which `finish` reports.
    let _ = write(&mut out);
    out.finish()
}

pub(super) fn upper(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    let text = text_from_value(meter, value)?;
    pay_for_letters(meter, &text, |text| text.chars().flat_map(char::to_uppercase))?;
    Ok(EngineValue::from(text.to_uppercase()))
}

pub(super) fn lower(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    let text = text_from_value(meter, value)?;
    // The lower case of a letter may depend on its neighbours, but not its length.
    pay_for_letters(meter, &text, |text| text.chars().flat_map(char::to_lowercase))?;
    Ok(EngineValue::from(text.to_lowercase()))
}

/// Charges for a text in another case, which is counted first.
fn pay_for_letters<'t, I: Iterator<Item = char>>(
    meter: &mut Meter<'_, '_, '_>,
    text: &'t str,
    changed: impl FnOnce(&'t str) -> I,
) -> EngineResult<()> {
    meter.read_bytes(text.len())?;
    let length = if text.is_ascii() {
        text.len()
    } else {
        meter.read_bytes(text.len().saturating_mul(LETTER))?;
        changed(text).map(char::len_utf8).sum()
    };
    meter.charge(text_room(length))?;
    add_steps(text.len() + length);
    Ok(())
}

/// Strips blanks, tabs and line breaks, or the given characters, from both ends.
pub(super) fn trim(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    characters: Option<&str>,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    let characters = characters.unwrap_or(" \t\r\n");
    pay_for_lookups(meter, text.as_ref(), characters)?;
    let set = CharacterSet::new(characters);
    let trimmed = text.trim_matches(|character| set.contains(character));
    add_steps(text.len() - trimmed.len());
    built(meter, trimmed)
}

/// Charges for looking the characters of a text up in a set of others, and for making the set.
pub(super) fn pay_for_lookups(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    characters: &str,
) -> EngineResult<()> {
    // Characters beyond ASCII are sorted, and looked up by halves.
    let lookups = match characters.is_ascii() {
        true => 1,
        false => characters.len().ilog2() as usize + 1,
    };
    let read = text.len().saturating_add(characters.len()).saturating_mul(lookups);
    meter.read_bytes(read)?;
    add_steps(characters.len());
    Ok(())
}

/// A copy of a text.
pub(super) fn built(meter: &mut Meter<'_, '_, '_>, text: &str) -> EngineResult {
    meter.charge(text_room(text.len()))?;
    add_steps(text.len());
    Ok(EngineValue::from(text))
}

/// Joins the items of a list as they print, or an attribute of each: `author.name`.
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
    if list.is_undefined() || list.is_none() {
        return Ok(EngineValue::from(""));
    }
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let message = format!("`join` takes a list, not a {}", list.kind());
        return Err(engine_error(Error::new(ErrorKind::Render, message)));
    }
    let path = attribute.map_or(0, str::len);
    let read = list.len().unwrap_or_default().saturating_mul(ITEM.saturating_add(path));
    meter.read_bytes(read)?;
    let mut joined = String::new();
    for (index, item) in list.try_iter()?.enumerate() {
        let item = match attribute {
            Some(path) => at_path(&item, path)?,
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

/// What a path such as `author.name` leads to.
fn at_path(value: &EngineValue, path: &str) -> EngineResult {
    add_steps(path.len());
    path.split('.').try_fold(value.clone(), |value, name| match name.parse() {
        Ok(index) => value.get_item_by_index(index),
        Err(_) => value.get_attr(name),
    })
}

/// The pieces of a text between separators, or between white space where there is none.
pub(super) fn split(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    separator: Option<&EngineValue>,
    most: Option<i64>,
) -> EngineResult {
    bridge::refuse_rich(value)?;
    let text = text_to_cut(value)?;
    let separator = separator.map(text_to_cut).transpose()?;
    let sought = separator.map_or(0, str::len).saturating_mul(SOUGHT);
    meter.read_bytes((2 * text.len()).saturating_add(sought))?;
    let pieces = match most.and_then(|most| usize::try_from(most).ok()) {
        Some(most) => most.saturating_add(1),
        None => usize::MAX,
    };
    let pieces = match separator {
        Some(separator) => texts(meter, text.splitn(pieces, separator)),
        None if pieces == usize::MAX => texts(meter, text.split_whitespace()),
        None => texts(meter, words(text, pieces)),
    };
    pieces.map(EngineValue::from)
}

/// The lines of a text.
pub(super) fn lines(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    bridge::refuse_rich(value)?;
    let text = text_to_cut(value)?;
    meter.read_bytes(2 * text.len())?;
    texts(meter, text.lines()).map(EngineValue::from)
}

fn text_to_cut(value: &EngineValue) -> EngineResult<&str> {
    let message = "value is not a string";
    value.as_str().ok_or_else(|| EngineError::new(EngineErrorKind::InvalidOperation, message))
}

/// The words of a text, as the engine cuts them where there may be so many pieces at most: the last is
/// the rest of the text, and so is white space behind the last word.
#[expect(clippy::string_slice, reason = "`char_indices` gives all places in the text")]
fn words(text: &str, most: usize) -> impl Iterator<Item = &str> + Clone {
    let mut characters = text.char_indices();
    let mut pieces = 1;
    let mut word = None;
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

/// A list of texts that are given twice: to be counted and paid for, and to be copied.
pub(super) fn texts<'t>(
    meter: &mut Meter<'_, '_, '_>,
    pieces: impl Iterator<Item = &'t str> + Clone,
) -> EngineResult<Vec<EngineValue>> {
    let (mut count, mut room) = (0_usize, ALLOCATION);
    for piece in pieces.clone() {
        count += 1;
        room = room.saturating_add(SLOT).saturating_add(text_room(piece.len()));
        add_steps(piece.len());
        // Counting ends where there is no room for the pieces.
        meter.room(room)?;
    }
    meter.charge(room)?;
    let mut texts = Vec::with_capacity(count);
    texts.extend(pieces.map(EngineValue::from));
    add_steps(room);
    Ok(texts)
}

/// How many characters, items or entries there are; nothing has none.
pub(super) fn length(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult {
    meter.read_text(value)?;
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
pub(super) fn first(value: &EngineValue) -> EngineResult {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::UNDEFINED) } else { engine_filters::first(value) }
}

/// The last character or item; nothing has none.
pub(super) fn last(value: EngineValue) -> EngineResult {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::UNDEFINED) } else { engine_filters::last(value) }
}

/// A text or list turned round; what cannot be cut stays as it is.
pub(super) fn reversed(value: EngineValue) -> EngineResult {
    match value.kind() {
        ValueKind::String | ValueKind::Seq | ValueKind::Iterable => value.reverse(),
        _ => Ok(value),
    }
}

/// The entries of a map; nothing has none.
pub(super) fn items(value: &EngineValue) -> EngineResult {
    let is_nothing = value.is_none() || value.is_undefined();
    if is_nothing { Ok(EngineValue::from_iter([(); 0])) } else { engine_filters::items(value) }
}

/// The fallback where there is nothing; with `true` behind it, also where the value is empty.
pub(super) fn default(
    value: EngineValue,
    fallback: Option<EngineValue>,
    also_empty: Option<bool>,
    named: &Kwargs,
) -> EngineResult {
    let also_empty = match also_empty {
        Some(given) => given,
        None => named.get::<Option<bool>>("boolean")?.unwrap_or_default(),
    };
    named.assert_all_used()?;
    let missing = value.is_undefined() || value.is_none() || (also_empty && !value.is_true());
    Ok(if missing { fallback.unwrap_or_else(|| EngineValue::from("")) } else { value })
}

pub(super) fn replace(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    from: &EngineValue,
    to: &EngineValue,
) -> EngineResult {
    let text = text_from_value(meter, value)?;
    let (from, to) = (text_from_value(meter, from)?, text_from_value(meter, to)?);
    // The text is searched twice: before the result is paid for, and when it is made.
    meter.read_bytes(4 * text.len().saturating_add(from.len()))?;
    let grown = text.matches(&*from).count().saturating_mul(to.len());
    let length = text.len().saturating_add(grown);
    meter.charge(text_room(length))?;
    add_steps(2 * (text.len() + from.len()) + length);
    Ok(EngineValue::from(text.replace(&*from, &to)))
}

/// Indents every line but the first (or every line, with `first=true`); empty lines only with
/// `blank=true`.
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
    meter.read_bytes(text.len())?;
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

/// The most that a level of JSON is indented by.
const WIDEST_INDENT: i64 = 64;

/// JSON in one line, or with each value in a line of its own, indented by so many spaces a level.
pub(super) fn to_json(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    given: &Given<'_>,
) -> EngineResult {
    let indent = given.number(0, "indent")?;
    meter.read(value)?;
    let value = meter.convert(value)?;
    let spaces = indent.map(|width| width.clamp(0, WIDEST_INDENT));
    let spaces = spaces.map(|width| " ".repeat(usize::try_from(width).unwrap_or_default()));
    let style = match &spaces {
        Some(spaces) => JsonStyle { indent: Some(spaces), ..JsonStyle::INDENTED },
        None => JsonStyle::SPACED,
    };
    let json = written(meter, |out| JsonWriter::new(out, style).value(&value))?;
    Ok(EngineValue::from(json))
}

/// The beginning of a text that is too long, with `...` behind it.
pub(super) fn truncate(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    given: &Given<'_>,
) -> EngineResult {
    let end = given.get(2, "end");
    let kills_words = given.get(1, "killwords").is_some_and(|kills| kills.is_true());
    let text = text_from_value(meter, value)?;
    let end = match &end {
        Some(end) => text_from_value(meter, end)?,
        None => Cow::Borrowed("..."),
    };
    let truncation = Truncation {
        length: given.width(0, "length")?.unwrap_or(255),
        end: &end,
        leeway: given.width(3, "leeway")?.unwrap_or(5),
        cut: if kills_words { TruncationCut::Anywhere } else { TruncationCut::BehindWords },
    };
    meter.read_bytes(text.len().saturating_add(end.len()).saturating_mul(2))?;
    add_steps(text.len() + end.len());
    let Some(kept) = python::truncated(&text, &truncation) else {
        return built(meter, &text);
    };
    let length = kept.len().saturating_add(end.len());
    meter.charge(text_room(length))?;
    add_steps(length);
    Ok(EngineValue::from(format!("{kept}{end}")))
}

/// The value as it prints; a text stays what it is.
pub(super) fn string(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if value.as_str().is_some() {
        return Ok(value);
    }
    text_from_value(meter, &value).map(|text| EngineValue::from(text.into_owned()))
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
    meter: &mut Meter<'_, '_, '_>,
    first: i64,
    second: Option<i64>,
    step: Option<i64>,
) -> EngineResult {
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
    let room = usize::try_from(count).unwrap_or_default().saturating_mul(SLOT);
    meter.charge(room.saturating_add(ALLOCATION))?;
    Ok((0..count).map(|index| bridge::to_engine(&Value::Integer(start + index * step))).collect())
}

/// Lists with one item of each list, as many as the shortest has.
pub(super) fn zip(meter: &mut Meter<'_, '_, '_>, lists: &[EngineValue]) -> EngineResult {
    let mut shortest = usize::MAX;
    for list in lists {
        bridge::refuse_rich(list)?;
        meter.walk(list)?;
        let length = match (list.as_str(), list.kind()) {
            (Some(text), _) => text.chars().count(),
            (None, ValueKind::Seq | ValueKind::Iterable) => list.len().unwrap_or_default(),
            (None, ValueKind::Map) => {
                meter.read_bytes(list.len().unwrap_or_default().saturating_mul(ITEM))?;
                list.len().unwrap_or_default()
            }
            (None, kind) => {
                let message = format!("`zip` takes lists, not a {kind}");
                return Err(engine_error(Error::new(ErrorKind::Render, message)));
            }
        };
        shortest = shortest.min(length);
    }
    let count = if lists.is_empty() { 0 } else { shortest };
    let each = lists.len().saturating_mul(SLOT).saturating_add(ALLOCATION + SLOT);
    meter.charge(count.saturating_mul(each).saturating_add(ALLOCATION))?;
    add_steps(count.saturating_mul(each));
    let mut columns = Vec::with_capacity(lists.len());
    for list in lists {
        columns.push(list.try_iter()?);
    }
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        let row: Vec<EngineValue> = columns.iter_mut().filter_map(Iterator::next).collect();
        rows.push(EngineValue::from(row));
    }
    meter.measured(EngineValue::from(rows))
}

/// How many attributes a namespace starts with at most. Whoever asks whether there is anything in it
/// makes the engine list them all.
const LARGEST_NAMESPACE: usize = MOST_ATTRIBUTES;

/// What `set` may change inside a loop.
pub(super) fn namespace(defaults: Option<ValueOrKwargs>) -> EngineResult {
    let entries = defaults.clone().and_then(|defaults| defaults.into_value().len());
    if entries.unwrap_or_default() > LARGEST_NAMESPACE {
        let message = format!("a namespace has more than {LARGEST_NAMESPACE} attributes");
        let error = Error::new(ErrorKind::Limit, message);
        return Err(engine_error(error.with_help("put the map itself into an attribute")));
    }
    engine_functions::namespace(defaults)
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
    syntax::without_nonce(&unfenced, nonce)
}
