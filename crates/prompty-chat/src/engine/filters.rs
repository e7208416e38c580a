//! The filters of strings and numbers. Those of lists and maps are in [`super::lists`].
//!
//! A filter pays for its work (see [`budget`](super::budget)). If it can split or change a string
//! of the data, it also notes that, with `note_part` or `note_rewriting` (see
//! [`Run::may_have_built_markup`]): the audit of the prompt depends on it.

use std::borrow::Cow;
use std::fmt;

use super::arguments::{Arguments, any_names, named, positional};
use super::fault::Fault;
use super::format;
use super::heap::ItemList;
use super::json;
use super::methods;
use super::run::{FilterFn, Run};
use super::table::Table;
use super::text::{Text, TextWriter};
use super::value::{Outcome, Val};
use super::wrapped_lines::WrappedLines;
use prompty_template::jinja::is_python_space;
use prompty_template::jinja::methods::{self as python, Side, Truncation, TruncationCut};

/// The cost of writing a digit of a float, in units of work.
const DIGIT_COST: usize = 8;

/// The filters of strings and numbers.
pub(super) const FILTERS: &Table<FilterFn> = &[
    (&["abs"], positional(0), abs),
    (&["capitalize"], positional(0), |run, value, _| change_case(run, value, python::capitalized)),
    (&["center"], named(&["width"]), center),
    (&["default", "d"], named(&["default_value", "boolean"]), default),
    (&["escape", "e", "forceescape"], positional(0), escape),
    (&["filesizeformat"], named(&["binary"]), file_size),
    (&["float"], named(&["default"]), float),
    (&["format"], any_names(usize::MAX), format_values),
    (&["indent"], named(&["width", "first", "blank"]), indent),
    (&["int"], named(&["default", "base"]), int),
    (&["lower"], positional(0), |run, value, _| change_case(run, value, str::to_lowercase)),
    (&["pprint"], positional(0), pretty),
    (&["replace"], named(&["old", "new", "count"]), replace),
    (&["round"], named(&["precision", "method"]), round),
    (&["safe"], positional(0), safe),
    (&["string"], positional(0), string),
    (&["striptags"], positional(0), strip_tags),
    (&["title"], positional(0), title),
    (&["tojson"], named(&["ensure_ascii", "indent", "separators", "sort_keys"]), json::to_json),
    (&["trim"], named(&["chars"]), trim),
    (&["truncate"], named(&["length", "killwords", "end", "leeway"]), truncate),
    (&["upper"], positional(0), |run, value, _| change_case(run, value, str::to_uppercase)),
    (&["urlencode"], positional(0), url_encode),
    (&["wordcount"], positional(0), word_count),
    (&["wordwrap"], named(&["width", "break_long_words", "wrapstring"]), word_wrap),
];

fn change_case(run: &mut Run<'_>, value: &Val, change: fn(&str) -> String) -> Outcome {
    let text = run.text(value)?;
    run.change_case(&text, change)
}

fn abs(_: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    match (value, value.as_integer()) {
        (Val::Float(number), _) => Ok(Val::Float(number.abs())),
        (_, Some(number)) => Ok(Val::Integer(number.saturating_abs())),
        _ => Err(Fault::wrong_type(value, "has no absolute value")),
    }
}

fn center(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let width = arguments.count(0, "width", 80)?;
    methods::align_text(run, &text, width, ' ', Side::Both)
}

fn default(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let also_false = run.flag(arguments, 1, "boolean", false);
    if value.is_undefined() || (also_false && !run.is_true(value)) {
        return Ok(arguments.get(0, "default_value").cloned().unwrap_or_else(|| Val::literal("")));
    }
    Ok(value.clone())
}

fn safe(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    print_to_text(run, value).map(Val::Safe)
}

/// The printed form of a value. A string is not copied.
fn print_to_text(run: &Run<'_>, value: &Val) -> Outcome<Text> {
    match value.as_text() {
        Some(text) => Ok(text.clone()),
        None => {
            let mut text = run.writer();
            run.write_text(value, &mut text)?;
            text.finish()
        }
    }
}

pub(super) fn escape(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    if matches!(value, Val::Safe(_)) {
        return Ok(value.clone());
    }
    let text = run.text(value)?;
    let mut escaped = run.writer();
    write_escaped_text(&text, &mut escaped)?;
    escaped.finish().map(Val::Safe)
}

/// Like [`write_escaped`], for a text that is paid for.
pub(super) fn write_escaped_text(text: &str, out: &mut TextWriter) -> Outcome<()> {
    out.format(|out| write_escaped(text, out))
}

/// Writes a text, with the special characters of HTML escaped.
pub(super) fn write_escaped(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    for piece in text.split_inclusive(['&', '<', '>', '\'', '"']) {
        let mut plain = piece.chars();
        let escaped = match plain.next_back() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('\'') => "&#39;",
            Some('"') => "&#34;",
            _ => return out.write_str(piece),
        };
        out.write_str(plain.as_str())?;
        out.write_str(escaped)?;
    }
    Ok(())
}

fn file_size(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let Some(bytes) = to_float(run, value)? else {
        return Err(Fault::wrong_type(value, "is not a number of bytes"));
    };
    let is_binary = run.flag(arguments, 0, "binary", false);
    let base: u128 = if is_binary { 1024 } else { 1000 };
    let units = match is_binary {
        true => ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
        false => ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
    };
    if bytes == 1.0 {
        return run.copy("1 Byte");
    }
    if bytes < base as f64 {
        let Some(bytes) = truncated_integer(bytes)? else {
            return Err(Fault::render("an infinite number is not a number of bytes"));
        };
        return run.copy(&format!("{bytes} Bytes"));
    }
    // As in Jinja, the size is computed with the unit above it, so that it is rounded equally.
    let (mut unit, mut name) = (base, "");
    for next in units {
        (unit, name) = (unit * base, next);
        if bytes < unit as f64 {
            break;
        }
    }
    let size = base as f64 * bytes / unit as f64;
    // Python writes `nan` in lower case.
    let size = if size.is_nan() { "nan".to_owned() } else { format!("{size:.1}") };
    run.copy(&format!("{size} {name}"))
}

/// A number from a number or a string.
fn to_float(run: &Run<'_>, value: &Val) -> Outcome<Option<f64>> {
    match value.as_text() {
        Some(text) => {
            let digits = digits(run, text, |it| it.is_ascii_digit())?;
            Ok(digits.and_then(|digits| digits.parse().ok()))
        }
        None => Ok(value.as_float()),
    }
}

/// The digits of a number, without white space around it and without `_`. `None` if a `_` is not
/// between two digits.
fn digits<'t>(
    run: &Run<'_>,
    text: &'t Text,
    is_digit: fn(char) -> bool,
) -> Outcome<Option<Cow<'t, str>>> {
    let text = text.read(&run.meter)?.trim_matches(is_python_space);
    let Some((first, rest)) = text.split_once('_') else { return Ok(Some(Cow::Borrowed(text))) };
    let mut digits = run.writer();
    digits.push(first)?;
    for part in rest.split('_') {
        if !digits.as_str().ends_with(is_digit) || !part.starts_with(is_digit) {
            return Ok(None);
        }
        digits.push(part)?;
    }
    Ok(Some(Cow::Owned(digits.into_string())))
}

/// The operand of a filter that does not convert values to strings.
fn string_operand<'v>(run: &Run<'_>, value: &'v Val, filter: &str) -> Outcome<Cow<'v, str>> {
    match value.as_text() {
        Some(_) => run.text(value),
        None => Err(Fault::unexpected(&format!("`{filter}` expects a string"), value)),
    }
}

/// Notes that a number from a string may be printed differently from the string.
fn note_number(run: &Run<'_>, value: &Val) {
    if value.as_text().is_some() {
        run.note_rewriting();
    }
}

fn float(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let default = arguments.get(0, "default").cloned();
    Ok(to_float(run, value)?.map(Val::Float).or(default).unwrap_or(Val::Float(0.0)))
}

/// The integer of a number or of a string, such as `" 12"`, `"0x1f"` (in base 16) or `"1.9"`.
fn int(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let base = arguments.integer(1, "base")?.unwrap_or(10);
    let integer = match value.as_text() {
        Some(text) => {
            let digits = digits(run, text, char::is_alphanumeric)?;
            digits.and_then(|digits| parse_integer(&digits, base))
        }
        None => value.as_integer(),
    };
    let found = match integer {
        Some(_) => integer,
        None => to_float(run, value)?.map(truncated_integer).transpose()?.flatten(),
    };
    let default = arguments.get(0, "default").cloned();
    Ok(found.map(Val::Integer).or(default).unwrap_or(Val::Integer(0)))
}

/// The integer of a number without its fraction. `None` for infinite numbers and `nan`.
#[expect(clippy::cast_possible_truncation, reason = "larger numbers are refused before")]
fn truncated_integer(number: f64) -> Outcome<Option<i128>> {
    if number.is_finite() && number.abs() >= i128::MAX as f64 {
        return Err(Fault::limit("this number is too large"));
    }
    Ok(number.is_finite().then_some(number.trunc() as i128))
}

/// Parses an integer in a base, like Python. In base 0, a prefix determines the base.
fn parse_integer(text: &str, base: i128) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes = [(16, ["0x", "0X"]), (8, ["0o", "0O"]), (2, ["0b", "0B"])];
    let prefixed =
        prefixes.iter().filter(|(of, _)| [0, *of].contains(&base)).find_map(|(of, them)| {
            let rest = them.iter().find_map(|prefix| digits.strip_prefix(prefix));
            Some((*of, rest?))
        });
    let (base, digits) = prefixed.unwrap_or((if base == 0 { 10 } else { base }, digits));
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    // The standard library would accept another sign here.
    if !digits.starts_with(char::is_alphanumeric) {
        return None;
    }
    i128::from_str_radix(digits, base).ok().map(|number| number * sign)
}

fn format_values(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let values = if arguments.named.is_empty() {
        let mut values = ItemList::default();
        values.extend(arguments.positional.as_slice(), &run.meter)?;
        run.tuple(values)?
    } else {
        let named = arguments.named.copied(&run.meter)?;
        run.dict(named)?
    };
    format::percent(run, &text, &values)
}

fn indent(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let margin = match arguments.get(0, "width") {
        Some(text @ (Val::String(_) | Val::Safe(_))) => run.text(text)?,
        _ => {
            let width = arguments.count(0, "width", 4)?;
            let mut margin = run.writer();
            margin.push_repeated(' ', width)?;
            Cow::Owned(margin.into_string())
        }
    };
    let first = run.flag(arguments, 1, "first", false);
    let blank = run.flag(arguments, 2, "blank", false);
    let text = string_operand(run, value, "indent")?;
    // As in Jinja, the text ends with another line end, so that its last line may be empty.
    let mut ended = run.writer();
    ended.push(&text)?;
    ended.push("\n")?;
    let mut indented = run.writer();
    for (index, line) in python::lines(ended.as_str(), false).enumerate() {
        if index > 0 {
            indented.push("\n")?;
        }
        // Empty lines are only indented on request, except for the first line.
        let is_indented = if index == 0 { first } else { blank || !line.is_empty() };
        if is_indented {
            indented.push(&margin)?;
        }
        indented.push(line)?;
    }
    run.note_part(&text, indented.as_str());
    indented.finish().map(Val::String)
}

fn pretty(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let mut text = run.writer();
    run.write_repr(value, &mut text, 0)?;
    text.finish().map(Val::String)
}

fn replace(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let from = run.text(arguments.need(0, "old")?)?;
    let to = run.text(arguments.need(1, "new")?)?;
    let most = arguments.bound(2, "count")?;
    methods::replace_text(run, &text, &from, &to, most)
}

fn round(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let precision = arguments.integer(0, "precision")?.unwrap_or(0);
    let precision = i32::try_from(precision.clamp(-300, 300)).unwrap_or_default();
    let method = match arguments.get(1, "method").map(|method| run.text(method)).transpose()? {
        None => RoundingMethod::Nearest,
        Some(method) => match &*method {
            "common" => RoundingMethod::Nearest,
            "ceil" => RoundingMethod::Up,
            "floor" => RoundingMethod::Down,
            _ => {
                let message = "the method of `round` must be `common`, `ceil` or `floor`";
                return Err(Fault::render(message));
            }
        },
    };
    let Some(number) = value.as_float() else {
        return Err(Fault::wrong_type(value, "cannot be rounded"));
    };
    if let (Some(integer), RoundingMethod::Nearest) = (value.as_integer(), &method) {
        // An integer stays an integer, and is rounded to tens or hundreds if requested. The largest
        // power of ten that fits is 10^38.
        let places = u32::try_from(-precision).unwrap_or_default().min(38);
        let Some(unit) = 10i128.checked_pow(places) else { return Ok(Val::Integer(0)) };
        let (below, rest) = (integer.div_euclid(unit), integer.rem_euclid(unit));
        let is_up = rest > unit - rest || (rest == unit - rest && below % 2 != 0);
        let rounded = (below + i128::from(is_up)).checked_mul(unit);
        return rounded.map(Val::Integer).ok_or_else(|| Fault::limit("this number is too large"));
    }
    // A float may have many digits.
    run.meter.pay_units(DIGIT_COST * usize::try_from(precision).unwrap_or_default())?;
    let scale = 10f64.powi(precision);
    Ok(Val::Float(match method {
        RoundingMethod::Up => (number * scale).ceil() / scale,
        RoundingMethod::Down => (number * scale).floor() / scale,
        RoundingMethod::Nearest if precision >= 0 => {
            // Rounded like Python's `round`: ties go to the even digit.
            let places = usize::try_from(precision).unwrap_or_default();
            format!("{number:.places$}").parse().unwrap_or(number)
        }
        RoundingMethod::Nearest => (number * scale).round_ties_even() / scale,
    }))
}

/// The direction in which `round` rounds.
enum RoundingMethod {
    Nearest,
    Up,
    Down,
}

fn string(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    match value.as_text() {
        Some(_) => Ok(value.clone()),
        None => print_to_text(run, value).map(Val::String),
    }
}

/// Removes tags and comments, and replaces white space by single spaces.
fn strip_tags(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let mut plain = run.writer();
    let mut rest = &*text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push(before)?;
        let end = if tag.starts_with("!--") { "-->" } else { ">" };
        match tag.split_once(end) {
            Some((_, after)) => rest = after,
            None => {
                plain.push("<")?;
                rest = tag;
                break;
            }
        }
    }
    plain.push(rest)?;
    let mut joined = run.writer();
    let words = plain.as_str().split(is_python_space).filter(|word| !word.is_empty());
    for (index, word) in words.enumerate() {
        joined.push(if index > 0 { " " } else { "" })?;
        joined.push(word)?;
    }
    run.note_part(&text, joined.as_str());
    joined.finish().map(Val::String)
}

/// Jinja's title case, in which punctuation other than the characters below is part of a word.
fn title(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let text = run.text(value)?;
    run.meter.pay_characters(&text)?;
    let ends = |it: char| is_python_space(it) || matches!(it, '-' | '(' | '{' | '[' | '<');
    run.change_case(&text, |text| python::titled(text, ends).collect())
}

fn trim(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let characters = methods::stripped_characters(run, arguments)?;
    let trimmed = python::strip(&text, characters.as_ref(), Side::Both);
    if trimmed.len() == text.len() && value.as_text().is_some() {
        return Ok(value.clone());
    }
    run.part(&text, trimmed)
}

fn truncate(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = match value {
        Val::Undefined => Cow::Borrowed(""),
        _ => string_operand(run, value, "truncate")?,
    };
    let length = arguments.integer(0, "length")?.unwrap_or(255);
    let kills_words = run.flag(arguments, 1, "killwords", false);
    let end = match arguments.get(2, "end") {
        Some(end) => string_operand(run, end, "truncate")?,
        None => Cow::Borrowed("..."),
    };
    let leeway = arguments.bound(3, "leeway")?.unwrap_or(5);
    let (Ok(length), Ok(leeway)) = (usize::try_from(length), usize::try_from(leeway)) else {
        return Err(Fault::render("the length and the leeway of `truncate` must not be negative"));
    };
    if length < end.chars().count() {
        return Err(Fault::render("the length of `truncate` is less than that of its end"));
    }
    let cut = if kills_words { TruncationCut::Anywhere } else { TruncationCut::AfterWord };
    let Some(kept) = python::truncated(&text, &Truncation { length, end: &end, leeway, cut })
    else {
        return print_to_text(run, value).map(Val::String);
    };
    run.note_rewriting();
    let mut truncated = run.writer();
    truncated.push(kept)?;
    truncated.push(&end)?;
    truncated.finish().map(Val::String)
}

fn url_encode(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    // Jinja writes lists of pairs and maps as queries.
    if matches!(value, Val::List(_) | Val::Tuple(_) | Val::Dict(_)) {
        return Err(Fault::unexpected("`urlencode` expects a string", value));
    }
    let text = run.text(value)?;
    run.meter.pay_characters(&text)?;
    let mut encoded = run.writer();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'~' | b'/') {
            encoded.push_char(char::from(byte))?;
        } else {
            encoded.format(|out| fmt::Write::write_fmt(out, format_args!("%{byte:02X}")))?;
        }
    }
    run.note_part(&text, encoded.as_str());
    encoded.finish().map(Val::String)
}

fn word_count(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let text = run.text(value)?;
    run.meter.pay_characters(&text)?;
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    Ok(Val::from(words.filter(|word| !word.is_empty()).count()))
}

/// Breaks lines that have more than `width` characters between words, or in a word that is longer
/// than a line. Unlike in Python, a hyphen in a word is not a place to break it.
fn word_wrap(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = string_operand(run, value, "wordwrap")?;
    let width = arguments.count(0, "width", 79)?;
    if width == 0 {
        return Err(Fault::render("the width of `wordwrap` must be at least 1"));
    }
    let breaks = run.flag(arguments, 1, "break_long_words", true);
    let newline = match arguments.get(2, "wrapstring") {
        Some(Val::None) | None => "\n",
        Some(_) => run.string(arguments, 2, "wrapstring")?,
    };
    run.meter.pay_characters(&text)?;
    let mut wrapped = run.writer();
    for (index, line) in python::lines(&text, false).enumerate() {
        wrapped.push(if index > 0 { newline } else { "" })?;
        for (index, part) in WrappedLines::new(line, width, breaks).enumerate() {
            wrapped.push(if index > 0 { newline } else { "" })?;
            wrapped.push(part)?;
        }
    }
    run.note_part(&text, wrapped.as_str());
    wrapped.finish().map(Val::String)
}
