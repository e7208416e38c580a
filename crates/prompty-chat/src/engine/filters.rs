//! The filters of strings and numbers. Those of lists and maps are in [`super::lists`].
//!
//! A filter pays for its work (see [`budget`](super::budget)). If it can split or change a string
//! of the data, it also notes that, with `note_part` or `note_rewriting` (see
//! [`Run::may_have_built_markup`]): the audit of the prompt depends on it.

use std::borrow::Cow;
use std::fmt;

use super::arguments::Arguments;
use super::fault::Fault;
use super::format;
use super::heap::ItemList;
use super::json;
use super::methods;
use super::run::{FilterFn, Run};
use super::table::Table;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_template::jinja::is_python_space;
use prompty_template::jinja::methods::{self as python, Side, Truncation, TruncationCut};

/// The cost of writing a digit of a float, in units of work.
const DIGIT_COST: usize = 8;

/// The filters of strings and numbers.
pub(super) const FILTERS: &Table<FilterFn> = &[
    (&["abs"], abs),
    (&["capitalize"], |run, value, _| change_case(run, value, python::capitalized)),
    (&["center"], center),
    (&["default", "d"], default),
    (&["escape", "e", "forceescape"], escape),
    (&["filesizeformat"], file_size),
    (&["float"], float),
    (&["format"], format_values),
    (&["indent"], indent),
    (&["int"], int),
    (&["lower"], |run, value, _| change_case(run, value, str::to_lowercase)),
    (&["pprint"], pretty),
    (&["replace"], replace),
    (&["round"], round),
    (&["safe"], safe),
    (&["string"], string),
    (&["striptags"], strip_tags),
    (&["title"], title),
    (&["tojson"], json::to_json),
    (&["trim"], trim),
    (&["truncate"], truncate),
    (&["upper"], |run, value, _| change_case(run, value, str::to_uppercase)),
    (&["urlencode"], url_encode),
    (&["wordcount"], word_count),
    (&["wordwrap"], word_wrap),
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
    escaped.format(|out| write_escaped(&text, out))?;
    escaped.finish().map(Val::Safe)
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
    let bytes = to_float(run, value)?.unwrap_or_default();
    let is_binary = run.flag(arguments, 0, "binary", false);
    let base = if is_binary { 1024.0 } else { 1000.0 };
    let units = match is_binary {
        true => ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
        false => ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
    };
    if bytes < base {
        let unit = if bytes == 1.0 { "Byte" } else { "Bytes" };
        return run.copy(&format!("{bytes} {unit}"));
    }
    let mut size = bytes / base;
    let mut unit = units.iter();
    let mut name = unit.next();
    while size >= base
        && let Some(next) = unit.next()
    {
        size /= base;
        name = Some(next);
    }
    run.copy(&format!("{size:.1} {}", name.copied().unwrap_or_default()))
}

/// A number from a number or a string.
fn to_float(run: &Run<'_>, value: &Val) -> Outcome<Option<f64>> {
    match value.as_text() {
        // Rust also parses some words that Python does not, but none of them matters here.
        Some(text) => Ok(digits(run, text)?.parse().ok()),
        None => Ok(value.as_float()),
    }
}

/// The digits of a number, without white space around it and without `_`.
fn digits<'t>(run: &Run<'_>, text: &'t Text) -> Outcome<Cow<'t, str>> {
    let text = text.read(&run.meter)?.trim_matches(is_python_space);
    if !text.contains('_') {
        return Ok(Cow::Borrowed(text));
    }
    let mut digits = run.writer();
    text.split('_').try_for_each(|part| digits.push(part))?;
    Ok(Cow::Owned(digits.into_string()))
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
#[expect(clippy::cast_possible_truncation, reason = "`int` cuts the fraction off")]
fn int(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let base = arguments.count(1, "base", 10)?;
    let found = match (value, value.as_text()) {
        (_, Some(text)) => {
            let text = digits(run, text)?;
            parse_integer(&text, base).or_else(|| {
                let number = text.parse::<f64>().ok()?;
                number.is_finite().then_some(number.trunc() as i128)
            })
        }
        (Val::Float(number), _) => number.is_finite().then_some(number.trunc() as i128),
        _ => value.as_integer(),
    };
    let default = arguments.get(0, "default").cloned();
    Ok(found.map(Val::Integer).or(default).unwrap_or(Val::Integer(0)))
}

/// Parses an integer in a base, like Python.
fn parse_integer(text: &str, base: usize) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let without = |prefixes: [&str; 2]| {
        let rest = prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
        rest.unwrap_or(digits)
    };
    let digits = match base {
        16 => without(["0x", "0X"]),
        8 => without(["0o", "0O"]),
        2 => without(["0b", "0B"]),
        _ => digits,
    };
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
    let text = run.text(value)?;
    let mut indented = run.writer();
    for (index, line) in text.split('\n').enumerate() {
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
    let most = arguments.get(2, "count").and_then(Val::as_integer);
    methods::replace_text(run, &text, &from, &to, most)
}

fn round(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let precision = arguments.get(0, "precision").and_then(Val::as_integer).unwrap_or(0);
    let precision = i32::try_from(precision.clamp(-300, 300)).unwrap_or_default();
    let method = arguments.get(1, "method").map(|method| run.text(method)).transpose()?;
    let Some(number) = value.as_float() else {
        return Err(Fault::wrong_type(value, "cannot be rounded"));
    };
    if let (Some(integer), None) = (value.as_integer(), method.as_deref()) {
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
    Ok(Val::Float(match method.as_deref() {
        Some("ceil") => (number * scale).ceil() / scale,
        Some("floor") => (number * scale).floor() / scale,
        _ if precision >= 0 => {
            // Rounded like Python's `round`: ties go to the even digit.
            let places = usize::try_from(precision).unwrap_or_default();
            format!("{number:.places$}").parse().unwrap_or(number)
        }
        _ => (number * scale).round_ties_even() / scale,
    }))
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
    let text = run.text(value)?;
    let length = arguments.count(0, "length", 255)?;
    let kills_words = run.flag(arguments, 1, "killwords", false);
    let end = match arguments.get(2, "end") {
        Some(end) => run.text(end)?,
        None => Cow::Borrowed("..."),
    };
    let leeway = arguments.count(3, "leeway", 5)?;
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
/// than a line.
fn word_wrap(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let width = arguments.count(0, "width", 79)?.max(1);
    let breaks = run.flag(arguments, 1, "break_long_words", true);
    let newline = match arguments.get(2, "wrapstring") {
        Some(Val::None) | None => Cow::Borrowed("\n"),
        Some(text) => run.text(text)?,
    };
    run.meter.pay_characters(&text)?;
    let mut wrapped = run.writer();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            wrapped.push(&newline)?;
        }
        // The characters of the current line, and of the rest of the word.
        let mut line_count = 0;
        for mut word in line.split(' ') {
            let mut word_count = word.chars().count();
            if line_count > 0 && line_count + 1 + word_count > width {
                wrapped.push(&newline)?;
                line_count = 0;
            }
            // A word that is longer than a line fills complete lines.
            while breaks && word_count > width {
                let cut = word.char_indices().nth(width).map_or(word.len(), |(index, _)| index);
                let (head, tail) = word.split_at_checked(cut).unwrap_or((word, ""));
                wrapped.push(head)?;
                wrapped.push(&newline)?;
                word = tail;
                word_count -= width;
            }
            if line_count > 0 {
                wrapped.push(" ")?;
                line_count += 1;
            }
            wrapped.push(word)?;
            line_count += word_count;
        }
    }
    run.note_part(&text, wrapped.as_str());
    wrapped.finish().map(Val::String)
}
