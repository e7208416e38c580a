//! The methods that templates written for Python call on texts, lists and maps, paid for. What those of
//! texts do is in [`prompty_template::jinja::methods`]; which there are, and what they take, is in the table
//! of [`builtins`].

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, ErrorKind as EngineErrorKind};

use super::bridge::EngineResult;
use super::budget::Meter;
use super::costs::{ALLOCATION, ENTRY, ITEM, LETTER, SLOT, SOUGHT, text_room};
use super::given::Given;
use super::{filters, format, size};
use prompty_core::text::CharacterSet;
use prompty_core::work::add_steps;
use prompty_template::builtins;
use prompty_template::jinja::methods::{self as python, Direction, Expanded, Pieces, Side};

/// How much longer a text can get in another case.
const CASES: usize = 3;

/// Calls a method of a text, a list or a map.
pub(super) fn call(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    name: &str,
    arguments: &[EngineValue],
) -> EngineResult {
    let is_live = size::is_live(value);
    let table = match value.kind() {
        _ if is_live => return Err(EngineError::from(EngineErrorKind::UnknownMethod)),
        ValueKind::String => builtins::TEXT_METHODS,
        ValueKind::Seq | ValueKind::Iterable => builtins::LIST_METHODS,
        ValueKind::Map => builtins::MAP_METHODS,
        _ => return Err(EngineError::from(EngineErrorKind::UnknownMethod)),
    };
    let Some(method) = builtins::find(table, name) else {
        return Err(EngineError::from(EngineErrorKind::UnknownMethod));
    };
    let given = Given::new("method", method, arguments)?;
    match value.as_str() {
        Some(text) => of_text(meter, text, &given),
        None if value.kind() == ValueKind::Map => of_map(meter, value, &given),
        None => of_list(meter, value, &given),
    }
}

/// From which end a method such as `rsplit` cuts or searches.
fn direction(name: &str) -> Direction {
    if name.starts_with('r') { Direction::Backwards } else { Direction::Forwards }
}

fn of_text(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>) -> EngineResult {
    // Each method reads the text, and at most one more time to count what it will build.
    meter.read_bytes(2 * text.len())?;
    add_steps(text.len());
    match given.name {
        "upper" => filters::upper(meter, &EngineValue::from(text)),
        "casefold" => recased(meter, text, |text| python::folded(text).collect()),
        "lower" => filters::lower(meter, &EngineValue::from(text)),
        "capitalize" => recased(meter, text, python::capitalized),
        "swapcase" => recased(meter, text, python::swapped),
        "title" => {
            recased(meter, text, |text| python::titled(text, python::is_no_letter).collect())
        }
        "strip" => strip(meter, text, given, Side::Both),
        "lstrip" => strip(meter, text, given, Side::Left),
        "rstrip" => strip(meter, text, given, Side::Right),
        "removeprefix" => {
            let part = text.strip_prefix(given.text(0)?).unwrap_or(text);
            filters::built(meter, part)
        }
        "removesuffix" => {
            let part = text.strip_suffix(given.text(0)?).unwrap_or(text);
            filters::built(meter, part)
        }
        "startswith" => starts_or_ends(text, given, |text, part| text.starts_with(part)),
        "endswith" => starts_or_ends(text, given, |text, part| text.ends_with(part)),
        "split" | "rsplit" => split(meter, text, given),
        "splitlines" => {
            let keeps = given.get(0, "keepends").is_some_and(|keeps| keeps.is_true());
            let lines = filters::texts(meter, python::lines(text, keeps))?;
            Ok(EngineValue::from(lines))
        }
        "partition" | "rpartition" => {
            let separator = separator(given, given.text(0)?)?;
            meter.read_bytes(separator.len().saturating_mul(SOUGHT))?;
            let parts = python::partition(text, separator, direction(given.name));
            filters::texts(meter, parts.into_iter()).map(EngineValue::from)
        }
        "replace" => replace(meter, text, given),
        "find" | "rfind" | "index" | "rindex" => {
            let part = given.text(0)?;
            meter.read_bytes(part.len().saturating_mul(SOUGHT))?;
            match python::find(text, part, direction(given.name)) {
                Some(place) => Ok(EngineValue::from(place)),
                None if given.name.ends_with("find") => Ok(EngineValue::from(-1)),
                None => Err(given.refused("does not find this part in the text")),
            }
        }
        "count" => {
            let part = given.text(0)?;
            meter.read_bytes(part.len().saturating_mul(SOUGHT))?;
            Ok(EngineValue::from(text.matches(part).count()))
        }
        "join" => {
            let joined = given.positional.first().cloned().unwrap_or_default();
            match joined.as_str() {
                Some(letters) => join_letters(meter, letters, text),
                None => filters::join(meter, &joined, Some(&EngineValue::from(text)), None),
            }
        }
        "format" => format::braces(meter, text, given),
        "center" => filled(meter, text, given, Side::Both),
        "ljust" => filled(meter, text, given, Side::Right),
        "rjust" => filled(meter, text, given, Side::Left),
        "zfill" => {
            let width = given.width(0, "width")?.unwrap_or_default();
            let (sign, zeros, digits) = python::zeros(text, width);
            let mut filled = room(meter, text.len().saturating_add(zeros))?;
            filled.push_str(sign);
            filled.extend(std::iter::repeat_n('0', zeros));
            filled.push_str(digits);
            Ok(EngineValue::from(filled))
        }
        "expandtabs" => expand_tabs(meter, text, given),
        name => {
            meter.read_bytes(text.len().saturating_mul(LETTER))?;
            match python::is(name, text) {
                Some(holds) => Ok(EngineValue::from(holds)),
                None => Err(EngineError::from(EngineErrorKind::UnknownMethod)),
            }
        }
    }
}

/// An empty text with room for so many bytes, which are paid for.
fn room(meter: &mut Meter<'_, '_, '_>, bytes: usize) -> EngineResult<String> {
    meter.charge(text_room(bytes))?;
    add_steps(bytes);
    Ok(String::with_capacity(bytes))
}

fn recased(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    change: impl FnOnce(&str) -> String,
) -> EngineResult {
    meter.read_bytes(text.len().saturating_mul(LETTER))?;
    let longest = if text.is_ascii() { text.len() } else { text.len().saturating_mul(CASES) };
    meter.charge(text_room(longest))?;
    add_steps(longest);
    Ok(EngineValue::from(change(text)))
}

fn strip(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>, side: Side) -> EngineResult {
    let characters = match given.positional.first().filter(|it| !it.is_none()) {
        None => None,
        Some(_) => {
            let characters = given.text(0)?;
            filters::pay_for_lookups(meter, text, characters)?;
            Some(CharacterSet::new(characters))
        }
    };
    filters::built(meter, python::strip(text, characters.as_ref(), side))
}

/// Whether a text begins or ends with a text, or with one of several.
fn starts_or_ends(
    text: &str,
    given: &Given<'_>,
    holds: impl Fn(&str, &str) -> bool,
) -> EngineResult {
    let bound = |place| given.number(place, "").map(|bound| bound.map(i128::from));
    let text = python::between(text, bound(1)?, bound(2)?);
    let parts = given.positional.first().cloned().unwrap_or_default();
    if let Some(part) = parts.as_str() {
        return Ok(EngineValue::from(holds(text, part)));
    }
    if !matches!(parts.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Err(given.refused("takes a text, or a list of texts"));
    }
    for part in parts.try_iter()? {
        if part.as_str().is_some_and(|part| holds(text, part)) {
            return Ok(EngineValue::from(true));
        }
    }
    Ok(EngineValue::from(false))
}

/// A separator, which must not be empty.
fn separator<'s>(given: &Given<'_>, separator: &'s str) -> EngineResult<&'s str> {
    if separator.is_empty() {
        return Err(given.refused("takes a separator that is not empty"));
    }
    Ok(separator)
}

fn split(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>) -> EngineResult {
    let between = given.get(0, "sep").filter(|it| !it.is_none());
    let between = match &between {
        None => None,
        Some(between) => match between.as_str() {
            Some(between) => Some(separator(given, between)?),
            None => return Err(given.refused("takes a text to cut at")),
        },
    };
    meter.read_bytes(between.map_or(0, str::len).saturating_mul(SOUGHT))?;
    let cuts = given.number(1, "maxsplit")?.and_then(|most| usize::try_from(most).ok());
    let pieces = Pieces::new(text, between, cuts, direction(given.name));
    let mut pieces = filters::texts(meter, pieces)?;
    if direction(given.name) == Direction::Backwards {
        pieces.reverse();
    }
    Ok(EngineValue::from(pieces))
}

fn replace(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>) -> EngineResult {
    let (from, to) = (given.text(0)?, given.text(1)?);
    let most = given.number(2, "count")?.and_then(|most| usize::try_from(most).ok());
    let most = most.unwrap_or(usize::MAX);
    meter.read_bytes(from.len().saturating_mul(SOUGHT))?;
    let grown = text.matches(from).take(most).count().saturating_mul(to.len());
    let length = text.len().saturating_add(grown);
    meter.charge(text_room(length))?;
    add_steps(text.len() + from.len() + length);
    Ok(EngineValue::from(text.replacen(from, to, most)))
}

/// The letters of a text with a separator between them.
fn join_letters(meter: &mut Meter<'_, '_, '_>, letters: &str, separator: &str) -> EngineResult {
    meter.read_bytes(2 * letters.len())?;
    let gaps = letters.chars().count().saturating_sub(1);
    let length = letters.len().saturating_add(gaps.saturating_mul(separator.len()));
    let mut joined = room(meter, length)?;
    for letter in letters.chars() {
        if !joined.is_empty() {
            joined.push_str(separator);
        }
        joined.push(letter);
    }
    Ok(EngineValue::from(joined))
}

/// A text filled up to a width.
fn filled(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    given: &Given<'_>,
    side: Side,
) -> EngineResult {
    let width = given.width(0, "width")?.unwrap_or_default();
    let fill = match given.positional.get(1) {
        None => Some(' '),
        Some(fill) => {
            let mut characters = fill.as_str().unwrap_or_default().chars();
            characters.next().filter(|_| characters.next().is_none())
        }
    };
    let Some(fill) = fill else { return Err(given.refused("fills with one character")) };
    let (left, right) = python::fillers(text, width, side);
    let fillers = left.saturating_add(right).saturating_mul(fill.len_utf8());
    let mut filled = room(meter, text.len().saturating_add(fillers))?;
    filled.extend(std::iter::repeat_n(fill, left));
    filled.push_str(text);
    filled.extend(std::iter::repeat_n(fill, right));
    Ok(EngineValue::from(filled))
}

fn expand_tabs(meter: &mut Meter<'_, '_, '_>, text: &str, given: &Given<'_>) -> EngineResult {
    let width = given.width(0, "tabsize")?.unwrap_or(8);
    let pieces = python::expanded(text, width);
    let length = pieces.clone().fold(0_usize, |length, piece| {
        length.saturating_add(match piece {
            Expanded::Character(character) => character.len_utf8(),
            Expanded::Spaces(spaces) => spaces,
            _ => 0,
        })
    });
    let mut expanded = room(meter, length)?;
    for piece in pieces {
        match piece {
            Expanded::Character(character) => expanded.push(character),
            Expanded::Spaces(spaces) => expanded.extend(std::iter::repeat_n(' ', spaces)),
            _ => {}
        }
    }
    Ok(EngineValue::from(expanded))
}

/// The methods of lists that change nothing.
fn of_list(meter: &mut Meter<'_, '_, '_>, list: &EngineValue, given: &Given<'_>) -> EngineResult {
    let sought = given.positional.first().cloned().unwrap_or_default();
    meter.read_bytes(list.len().unwrap_or_default().saturating_mul(ITEM))?;
    meter.read(list)?;
    let mut items = list.try_iter()?;
    if given.name == "count" {
        return Ok(EngineValue::from(items.filter(|item| *item == sought).count()));
    }
    match items.position(|item| item == sought) {
        Some(place) => Ok(EngineValue::from(place)),
        None => Err(given.refused("does not find this value in the list")),
    }
}

/// The methods of a map that the template has made.
fn of_map(meter: &mut Meter<'_, '_, '_>, map: &EngineValue, given: &Given<'_>) -> EngineResult {
    if given.name == "get" {
        let name = given.positional.first().cloned().unwrap_or_default();
        let found = map.get_item(&name).ok().filter(|found| !found.is_undefined());
        let fallback = || given.positional.get(1).cloned().unwrap_or_default();
        return Ok(found.unwrap_or_else(fallback));
    }
    let entries = map.len().unwrap_or_default();
    meter.charge(entries.saturating_mul(ENTRY + SLOT).saturating_add(ALLOCATION))?;
    let names = map.try_iter()?;
    let mut list = Vec::with_capacity(entries);
    for name in names {
        list.push(match given.name {
            "keys" => name,
            "values" => map.get_item(&name)?,
            _ => {
                let value = map.get_item(&name)?;
                EngineValue::from(vec![name, value])
            }
        });
    }
    Ok(EngineValue::from(list))
}
