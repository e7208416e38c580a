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

use super::bridge::{self, EngineResult};
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
        Some(text) => TextCall { meter, text, arguments: &arguments }.run(),
        None if value.kind() == ValueKind::Map => call_map_method(meter, value, &arguments),
        None => call_list_method(meter, value, &arguments),
    }
}

/// The end at which a method such as `rsplit` starts.
fn direction(name: &str) -> Direction {
    if name.starts_with('r') { Direction::Backwards } else { Direction::Forwards }
}

/// A call of a method of a string. The table of built-ins has checked the name and the number of
/// arguments.
struct TextCall<'c, 'm, 's, 'env> {
    meter: &'c mut Meter<'m, 's, 'env>,
    text: &'c str,
    arguments: &'c BuiltinArguments<'c>,
}

impl TextCall<'_, '_, '_, '_> {
    /// Calls the method.
    fn run(&mut self) -> EngineResult {
        // Each method reads the text once, and at most once more to count what it will build.
        self.meter.charge_read_bytes(2 * self.text.len())?;
        add_steps(self.text.len());
        match self.arguments.name {
            "upper" => filters::upper(self.meter, &EngineValue::from(self.text)),
            "casefold" => self.change_case(|text| python::folded(text).collect()),
            "lower" => filters::lower(self.meter, &EngineValue::from(self.text)),
            "capitalize" => self.change_case(python::capitalized),
            "swapcase" => self.change_case(python::swapped),
            "title" => {
                self.change_case(|text| python::titled(text, python::is_not_letter).collect())
            }
            "strip" => self.strip(Side::Both),
            "lstrip" => self.strip(Side::Left),
            "rstrip" => self.strip(Side::Right),
            "removeprefix" => {
                let part = self.text.strip_prefix(self.arguments.text(0)?).unwrap_or(self.text);
                filters::copy_text(self.meter, part)
            }
            "removesuffix" => {
                let part = self.text.strip_suffix(self.arguments.text(0)?).unwrap_or(self.text);
                filters::copy_text(self.meter, part)
            }
            "startswith" => self.starts_or_ends(|text, part| text.starts_with(part)),
            "endswith" => self.starts_or_ends(|text, part| text.ends_with(part)),
            "split" | "rsplit" => self.split(),
            "splitlines" => {
                let keeps = self.arguments.get(0, "keepends").is_some_and(|keeps| keeps.is_true());
                let lines = filters::text_list(self.meter, python::lines(self.text, keeps))?;
                Ok(EngineValue::from(lines))
            }
            "partition" | "rpartition" => {
                let separator = require_separator(self.arguments, self.arguments.text(0)?)?;
                self.meter.charge_read_bytes(separator.len().saturating_mul(SEARCHED))?;
                let parts = python::partition(self.text, separator, direction(self.arguments.name));
                filters::text_list(self.meter, parts.into_iter()).map(EngineValue::from)
            }
            "replace" => self.replace(),
            "find" | "rfind" | "index" | "rindex" => self.find(),
            "count" => {
                let part = self.arguments.text(0)?;
                self.meter.charge_read_bytes(part.len().saturating_mul(SEARCHED))?;
                Ok(EngineValue::from(self.text.matches(part).count()))
            }
            "join" => {
                let joined = self.arguments.positional.first().cloned().unwrap_or_default();
                match joined.as_str() {
                    Some(characters) => self.join_characters(characters),
                    None => {
                        let separator = EngineValue::from(self.text);
                        filters::join(self.meter, &joined, Some(&separator), None)
                    }
                }
            }
            "format" => format::format_braces(self.meter, self.text, self.arguments),
            "center" => self.pad(Side::Both),
            "ljust" => self.pad(Side::Right),
            "rjust" => self.pad(Side::Left),
            "zfill" => self.fill_with_zeros(),
            "expandtabs" => self.expand_tabs(),
            // `isdigit`, `isupper` and the like.
            name => {
                self.meter.charge_read_bytes(self.text.len().saturating_mul(CHARACTER))?;
                match python::is(name, self.text) {
                    Some(holds) => Ok(EngineValue::from(holds)),
                    None => Err(EngineError::from(EngineErrorKind::UnknownMethod)),
                }
            }
        }
    }

    /// Finds a part of a text. Without it, `find` returns -1, and `index` is an error.
    fn find(&mut self) -> EngineResult {
        let part = self.arguments.text(0)?;
        self.meter.charge_read_bytes(part.len().saturating_mul(SEARCHED))?;
        match python::find(self.text, part, direction(self.arguments.name)) {
            Some(place) => Ok(EngineValue::from(place)),
            None if self.arguments.name.ends_with("find") => Ok(EngineValue::from(-1)),
            None => Err(self.arguments.error_with_help(
                "did not find the substring",
                match self.arguments.name {
                    "rindex" => "use `rfind`, which returns -1",
                    _ => "use `find`, which returns -1",
                },
            )),
        }
    }

    /// Pads a number with zeros after its sign: `-7` to the width 4 is `-007`.
    fn fill_with_zeros(&mut self) -> EngineResult {
        let width = self.arguments.width(0, "width")?.unwrap_or_default();
        let (sign, zeros, digits) = python::zeros(self.text, width);
        let mut filled = self.text_with_room(self.text.len().saturating_add(zeros))?;
        filled.push_str(sign);
        filled.extend(std::iter::repeat_n('0', zeros));
        filled.push_str(digits);
        Ok(EngineValue::from(filled))
    }

    /// Makes an empty text with capacity for this many bytes, and charges for them.
    fn text_with_room(&mut self, bytes: usize) -> EngineResult<String> {
        self.meter.charge(text_room(bytes))?;
        add_steps(bytes);
        Ok(String::with_capacity(bytes))
    }

    /// Changes the case of a text. The result is made at once, so the maximum length is charged.
    fn change_case(&mut self, change: impl FnOnce(&str) -> String) -> EngineResult {
        self.meter.charge_read_bytes(self.text.len().saturating_mul(CHARACTER))?;
        let growth = if self.text.is_ascii() { 1 } else { CASES };
        let longest = self.text.len().saturating_mul(growth);
        self.meter.charge(text_room(longest))?;
        add_steps(longest);
        Ok(EngineValue::from(change(self.text)))
    }

    fn strip(&mut self, side: Side) -> EngineResult {
        let characters = match self.arguments.positional.first().filter(|it| !it.is_none()) {
            None => None,
            Some(_) => {
                let characters = self.arguments.text(0)?;
                filters::charge_lookups(self.meter, self.text, characters)?;
                Some(CharacterSet::new(characters))
            }
        };
        filters::copy_text(self.meter, python::strip(self.text, characters.as_ref(), side))
    }

    /// Whether a text begins or ends with a string, or with one of a list.
    fn starts_or_ends(&self, holds: impl Fn(&str, &str) -> bool) -> EngineResult {
        let bound = |place| self.arguments.number(place, "").map(|bound| bound.map(i128::from));
        let Some((_, text)) = python::between(self.text, bound(1)?, bound(2)?) else {
            return Ok(EngineValue::from(false));
        };
        let parts = self.arguments.positional.first().cloned().unwrap_or_default();
        if let Some(part) = parts.as_str() {
            return Ok(EngineValue::from(holds(text, part)));
        }
        if !matches!(parts.kind(), ValueKind::Seq | ValueKind::Iterable) {
            return Err(self.arguments.error("expects a string or a list of strings"));
        }
        for part in parts.try_iter()? {
            if part.as_str().is_some_and(|part| holds(text, part)) {
                return Ok(EngineValue::from(true));
            }
        }
        Ok(EngineValue::from(false))
    }

    fn split(&mut self) -> EngineResult {
        let separator = self.arguments.get(0, "sep").filter(|it| !it.is_none());
        let separator = match &separator {
            None => None,
            Some(separator) => match separator.as_str() {
                Some(separator) => Some(require_separator(self.arguments, separator)?),
                None => return Err(self.arguments.error("expects a string as separator")),
            },
        };
        self.meter.charge_read_bytes(separator.map_or(0, str::len).saturating_mul(SEARCHED))?;
        // A negative number means all cuts.
        let cuts =
            self.arguments.number(1, "maxsplit")?.and_then(|most| usize::try_from(most).ok());
        let pieces = Pieces::new(self.text, separator, cuts, direction(self.arguments.name));
        let mut pieces = filters::text_list(self.meter, pieces)?;
        if direction(self.arguments.name) == Direction::Backwards {
            pieces.reverse();
        }
        Ok(EngineValue::from(pieces))
    }

    fn replace(&mut self) -> EngineResult {
        let (from, to) = (self.arguments.text(0)?, self.arguments.text(1)?);
        let most = self.arguments.number(2, "count")?.and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(usize::MAX);
        self.meter.charge_read_bytes(from.len().saturating_mul(SEARCHED))?;
        let added = self.text.matches(from).take(most).count().saturating_mul(to.len());
        let length = self.text.len().saturating_add(added);
        self.meter.charge(text_room(length))?;
        add_steps(self.text.len() + from.len() + length);
        Ok(EngineValue::from(self.text.replacen(from, to, most)))
    }

    /// The characters of a text with a separator between them.
    fn join_characters(&mut self, characters: &str) -> EngineResult {
        self.meter.charge_read_bytes(2 * characters.len())?;
        let gaps = characters.chars().count().saturating_sub(1);
        let length = characters.len().saturating_add(gaps.saturating_mul(self.text.len()));
        let mut joined = self.text_with_room(length)?;
        for character in characters.chars() {
            if !joined.is_empty() {
                joined.push_str(self.text);
            }
            joined.push(character);
        }
        Ok(EngineValue::from(joined))
    }

    /// Pads a text to a width.
    fn pad(&mut self, side: Side) -> EngineResult {
        let width = self.arguments.width(0, "width")?.unwrap_or_default();
        let fill = match self.arguments.positional.get(1) {
            None => Some(' '),
            Some(fill) => {
                let mut characters = fill.as_str().unwrap_or_default().chars();
                characters.next().filter(|_| characters.next().is_none())
            }
        };
        let Some(fill) = fill else {
            return Err(self.arguments.error("expects a single fill character"));
        };
        let (left, right) = python::fillers(self.text, width, side);
        let fillers = left.saturating_add(right).saturating_mul(fill.len_utf8());
        let mut filled = self.text_with_room(self.text.len().saturating_add(fillers))?;
        filled.extend(std::iter::repeat_n(fill, left));
        filled.push_str(self.text);
        filled.extend(std::iter::repeat_n(fill, right));
        Ok(EngineValue::from(filled))
    }

    fn expand_tabs(&mut self) -> EngineResult {
        let width = self.arguments.width(0, "tabsize")?.unwrap_or(8);
        let pieces = python::expanded(self.text, width);
        let length = pieces.clone().fold(0_usize, |length, piece| {
            length.saturating_add(match piece {
                ExpandedPiece::Character(character) => character.len_utf8(),
                ExpandedPiece::Spaces(spaces) => spaces,
                _ => 0,
            })
        });
        let mut expanded = self.text_with_room(length)?;
        for piece in pieces {
            match piece {
                ExpandedPiece::Character(character) => expanded.push(character),
                ExpandedPiece::Spaces(spaces) => expanded.extend(std::iter::repeat_n(' ', spaces)),
                _ => {}
            }
        }
        Ok(EngineValue::from(expanded))
    }
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

/// Calls a method of a map.
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
    let entry = if bridge::is_shared(map) { ENTRY } else { ENTRY + SLOT };
    meter.charge(entries.saturating_mul(entry).saturating_add(ALLOCATION))?;
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
