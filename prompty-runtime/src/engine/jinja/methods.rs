//! The methods of Python's strings, lists and maps. The budget is charged.
//!
//! [`prompty_template::jinja::methods`] implements those of strings. The tables of [`builtins`]
//! list all methods and their arguments.
//!
//! Values of prompts are never changed in place, so only methods that return a new value exist. A
//! method may accept more than Python's does: `", ".join(list)` also prints items that are not
//! strings. For what both accept, the results are equal, apart from how prompts print values.

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, ErrorKind as EngineErrorKind};

use super::bridge::EngineResult;
use super::budget::Meter;
use super::builtin_arguments::BuiltinArguments;
use super::costs::{ALLOCATION, CHARACTER, ENTRY, ITEM, SEARCHED, SLOT, text_room};
use super::{filters, format, size};
use prompty_core::text::CharacterSet;
use prompty_core::work::add_steps;
use prompty_template::builtins;
use prompty_template::jinja::methods::{self as python, Direction, ExpandedPiece, Pieces, Side};

/// The factor by which a text can grow in another case: `\u{390}` has two bytes, and its upper case
/// has six.
const CASES: usize = 3;

/// Calls a method of a string, a list or a map.
pub(super) fn call(
    meter: &mut Meter<'_, '_, '_>,
    value: &EngineValue,
    name: &str,
    arguments: &[EngineValue],
) -> EngineResult {
    // A namespace, loop or macro is not data, whatever kind the engine gives it.
    let table = match value.kind() {
        _ if size::is_live(value) => None,
        ValueKind::String => Some(builtins::TEXT_METHODS),
        ValueKind::Seq | ValueKind::Iterable => Some(builtins::LIST_METHODS),
        ValueKind::Map => Some(builtins::MAP_METHODS),
        _ => None,
    };
    let Some(method) = table.and_then(|table| builtins::find(table, name)) else {
        return Err(EngineError::from(EngineErrorKind::UnknownMethod));
    };
    let arguments = BuiltinArguments::new("method", method, arguments)?;
    match value.as_str() {
        Some(text) => call_text_method(meter, text, &arguments),
        None if value.kind() == ValueKind::Map => call_map_method(meter, value, &arguments),
        None => call_list_method(meter, value, &arguments),
    }
}

/// The end at which a method such as `rsplit` starts.
fn direction(name: &str) -> Direction {
    if name.starts_with('r') { Direction::Backwards } else { Direction::Forwards }
}

/// Calls a method of a string. The table of built-ins has checked the name and the number of
/// arguments.
fn call_text_method(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    // Each method reads the text once, and at most once more to count what it will build.
    meter.charge_read_bytes(2 * text.len())?;
    add_steps(text.len());
    match arguments.name {
        "upper" => filters::upper(meter, &EngineValue::from(text)),
        "casefold" => change_case(meter, text, |text| python::folded(text).collect()),
        "lower" => filters::lower(meter, &EngineValue::from(text)),
        "capitalize" => change_case(meter, text, python::capitalized),
        "swapcase" => change_case(meter, text, python::swapped),
        "title" => {
            change_case(meter, text, |text| python::titled(text, python::is_not_letter).collect())
        }
        "strip" => strip(meter, text, arguments, Side::Both),
        "lstrip" => strip(meter, text, arguments, Side::Left),
        "rstrip" => strip(meter, text, arguments, Side::Right),
        "removeprefix" => {
            let part = text.strip_prefix(arguments.text(0)?).unwrap_or(text);
            filters::copy_text(meter, part)
        }
        "removesuffix" => {
            let part = text.strip_suffix(arguments.text(0)?).unwrap_or(text);
            filters::copy_text(meter, part)
        }
        "startswith" => starts_or_ends(text, arguments, |text, part| text.starts_with(part)),
        "endswith" => starts_or_ends(text, arguments, |text, part| text.ends_with(part)),
        "split" | "rsplit" => split(meter, text, arguments),
        "splitlines" => {
            let keeps = arguments.get(0, "keepends").is_some_and(|keeps| keeps.is_true());
            let lines = filters::text_list(meter, python::lines(text, keeps))?;
            Ok(EngineValue::from(lines))
        }
        "partition" | "rpartition" => {
            let separator = require_separator(arguments, arguments.text(0)?)?;
            meter.charge_read_bytes(separator.len().saturating_mul(SEARCHED))?;
            let parts = python::partition(text, separator, direction(arguments.name));
            filters::text_list(meter, parts.into_iter()).map(EngineValue::from)
        }
        "replace" => replace(meter, text, arguments),
        "find" | "rfind" | "index" | "rindex" => find(meter, text, arguments),
        "count" => {
            let part = arguments.text(0)?;
            meter.charge_read_bytes(part.len().saturating_mul(SEARCHED))?;
            Ok(EngineValue::from(text.matches(part).count()))
        }
        "join" => {
            let joined = arguments.positional.first().cloned().unwrap_or_default();
            match joined.as_str() {
                Some(characters) => join_characters(meter, characters, text),
                None => filters::join(meter, &joined, Some(&EngineValue::from(text)), None),
            }
        }
        "format" => format::format_braces(meter, text, arguments),
        "center" => pad(meter, text, arguments, Side::Both),
        "ljust" => pad(meter, text, arguments, Side::Right),
        "rjust" => pad(meter, text, arguments, Side::Left),
        "zfill" => fill_with_zeros(meter, text, arguments),
        "expandtabs" => expand_tabs(meter, text, arguments),
        // `isdigit`, `isupper` and the like.
        name => {
            meter.charge_read_bytes(text.len().saturating_mul(CHARACTER))?;
            match python::is(name, text) {
                Some(holds) => Ok(EngineValue::from(holds)),
                None => Err(EngineError::from(EngineErrorKind::UnknownMethod)),
            }
        }
    }
}

/// Finds a part of a text. Without it, `find` returns -1, and `index` is an error.
fn find(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let part = arguments.text(0)?;
    meter.charge_read_bytes(part.len().saturating_mul(SEARCHED))?;
    match python::find(text, part, direction(arguments.name)) {
        Some(place) => Ok(EngineValue::from(place)),
        None if arguments.name.ends_with("find") => Ok(EngineValue::from(-1)),
        None => Err(arguments.error_with_help(
            "did not find the substring",
            match arguments.name {
                "rindex" => "use `rfind`, which returns -1",
                _ => "use `find`, which returns -1",
            },
        )),
    }
}

/// Pads a number with zeros after its sign: `-7` to the width 4 is `-007`.
fn fill_with_zeros(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let width = arguments.width(0, "width")?.unwrap_or_default();
    let (sign, zeros, digits) = python::zeros(text, width);
    let mut filled = text_with_room(meter, text.len().saturating_add(zeros))?;
    filled.push_str(sign);
    filled.extend(std::iter::repeat_n('0', zeros));
    filled.push_str(digits);
    Ok(EngineValue::from(filled))
}

/// Makes an empty text with capacity for this many bytes, and charges for them.
fn text_with_room(meter: &mut Meter<'_, '_, '_>, bytes: usize) -> EngineResult<String> {
    meter.charge(text_room(bytes))?;
    add_steps(bytes);
    Ok(String::with_capacity(bytes))
}

/// Changes the case of a text. The result is made at once, so the maximum length is charged.
fn change_case(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    change: impl FnOnce(&str) -> String,
) -> EngineResult {
    meter.charge_read_bytes(text.len().saturating_mul(CHARACTER))?;
    let longest = if text.is_ascii() { text.len() } else { text.len().saturating_mul(CASES) };
    meter.charge(text_room(longest))?;
    add_steps(longest);
    Ok(EngineValue::from(change(text)))
}

fn strip(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
    side: Side,
) -> EngineResult {
    let characters = match arguments.positional.first().filter(|it| !it.is_none()) {
        None => None,
        Some(_) => {
            let characters = arguments.text(0)?;
            filters::charge_lookups(meter, text, characters)?;
            Some(CharacterSet::new(characters))
        }
    };
    filters::copy_text(meter, python::strip(text, characters.as_ref(), side))
}

/// Whether a text begins or ends with a string, or with one of a list.
fn starts_or_ends(
    text: &str,
    arguments: &BuiltinArguments<'_>,
    holds: impl Fn(&str, &str) -> bool,
) -> EngineResult {
    let bound = |place| arguments.number(place, "").map(|bound| bound.map(i128::from));
    let text = python::between(text, bound(1)?, bound(2)?);
    let parts = arguments.positional.first().cloned().unwrap_or_default();
    if let Some(part) = parts.as_str() {
        return Ok(EngineValue::from(holds(text, part)));
    }
    if !matches!(parts.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Err(arguments.error("expects a string or a list of strings"));
    }
    for part in parts.try_iter()? {
        if part.as_str().is_some_and(|part| holds(text, part)) {
            return Ok(EngineValue::from(true));
        }
    }
    Ok(EngineValue::from(false))
}

/// Checks that a separator is not empty.
fn require_separator<'s>(
    arguments: &BuiltinArguments<'_>,
    separator: &'s str,
) -> EngineResult<&'s str> {
    if separator.is_empty() {
        return Err(arguments.error("expects a separator that is not empty"));
    }
    Ok(separator)
}

fn split(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let separator = arguments.get(0, "sep").filter(|it| !it.is_none());
    let separator = match &separator {
        None => None,
        Some(separator) => match separator.as_str() {
            Some(separator) => Some(require_separator(arguments, separator)?),
            None => return Err(arguments.error("expects a string as separator")),
        },
    };
    meter.charge_read_bytes(separator.map_or(0, str::len).saturating_mul(SEARCHED))?;
    // A negative number means all cuts.
    let cuts = arguments.number(1, "maxsplit")?.and_then(|most| usize::try_from(most).ok());
    let pieces = Pieces::new(text, separator, cuts, direction(arguments.name));
    let mut pieces = filters::text_list(meter, pieces)?;
    if direction(arguments.name) == Direction::Backwards {
        pieces.reverse();
    }
    Ok(EngineValue::from(pieces))
}

fn replace(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let (from, to) = (arguments.text(0)?, arguments.text(1)?);
    let most = arguments.number(2, "count")?.and_then(|most| usize::try_from(most).ok());
    let most = most.unwrap_or(usize::MAX);
    meter.charge_read_bytes(from.len().saturating_mul(SEARCHED))?;
    let added = text.matches(from).take(most).count().saturating_mul(to.len());
    let length = text.len().saturating_add(added);
    meter.charge(text_room(length))?;
    add_steps(text.len() + from.len() + length);
    Ok(EngineValue::from(text.replacen(from, to, most)))
}

/// The characters of a text with a separator between them.
fn join_characters(
    meter: &mut Meter<'_, '_, '_>,
    characters: &str,
    separator: &str,
) -> EngineResult {
    meter.charge_read_bytes(2 * characters.len())?;
    let gaps = characters.chars().count().saturating_sub(1);
    let length = characters.len().saturating_add(gaps.saturating_mul(separator.len()));
    let mut joined = text_with_room(meter, length)?;
    for character in characters.chars() {
        if !joined.is_empty() {
            joined.push_str(separator);
        }
        joined.push(character);
    }
    Ok(EngineValue::from(joined))
}

/// Pads a text to a width.
fn pad(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
    side: Side,
) -> EngineResult {
    let width = arguments.width(0, "width")?.unwrap_or_default();
    let fill = match arguments.positional.get(1) {
        None => Some(' '),
        Some(fill) => {
            let mut characters = fill.as_str().unwrap_or_default().chars();
            characters.next().filter(|_| characters.next().is_none())
        }
    };
    let Some(fill) = fill else { return Err(arguments.error("expects a single fill character")) };
    let (left, right) = python::fillers(text, width, side);
    let fillers = left.saturating_add(right).saturating_mul(fill.len_utf8());
    let mut filled = text_with_room(meter, text.len().saturating_add(fillers))?;
    filled.extend(std::iter::repeat_n(fill, left));
    filled.push_str(text);
    filled.extend(std::iter::repeat_n(fill, right));
    Ok(EngineValue::from(filled))
}

fn expand_tabs(
    meter: &mut Meter<'_, '_, '_>,
    text: &str,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let width = arguments.width(0, "tabsize")?.unwrap_or(8);
    let pieces = python::expanded(text, width);
    let length = pieces.clone().fold(0_usize, |length, piece| {
        length.saturating_add(match piece {
            ExpandedPiece::Character(character) => character.len_utf8(),
            ExpandedPiece::Spaces(spaces) => spaces,
            _ => 0,
        })
    });
    let mut expanded = text_with_room(meter, length)?;
    for piece in pieces {
        match piece {
            ExpandedPiece::Character(character) => expanded.push(character),
            ExpandedPiece::Spaces(spaces) => expanded.extend(std::iter::repeat_n(' ', spaces)),
            _ => {}
        }
    }
    Ok(EngineValue::from(expanded))
}

/// Calls a method of a list. These methods do not change the list.
fn call_list_method(
    meter: &mut Meter<'_, '_, '_>,
    list: &EngineValue,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    let searched = arguments.positional.first().cloned().unwrap_or_default();
    meter.charge_read_bytes(list.len().unwrap_or_default().saturating_mul(ITEM))?;
    meter.charge_read(list)?;
    let mut items = list.try_iter()?;
    if arguments.name == "count" {
        return Ok(EngineValue::from(items.filter(|item| *item == searched).count()));
    }
    match items.position(|item| item == searched) {
        Some(place) => Ok(EngineValue::from(place)),
        None => Err(arguments.error_with_help(
            "did not find the value in the list",
            "test it first: `{% if value in list %}`",
        )),
    }
}

/// Calls a method of a map that the template made.
fn call_map_method(
    meter: &mut Meter<'_, '_, '_>,
    map: &EngineValue,
    arguments: &BuiltinArguments<'_>,
) -> EngineResult {
    if arguments.name == "get" {
        let name = arguments.positional.first().cloned().unwrap_or_default();
        let found = map.get_item(&name).ok().filter(|found| !found.is_undefined());
        let fallback = || arguments.positional.get(1).cloned().unwrap_or_default();
        return Ok(found.unwrap_or_else(fallback));
    }
    let entries = map.len().unwrap_or_default();
    meter.charge(entries.saturating_mul(ENTRY + SLOT).saturating_add(ALLOCATION))?;
    let names = map.try_iter()?;
    let mut list = Vec::with_capacity(entries);
    for name in names {
        list.push(match arguments.name {
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
