//! The filters of texts and numbers. Those of lists and maps are in [`super::lists`].

use super::format;
use super::json;
use super::lists;
use super::methods;
use super::run::{Arguments, FilterFn, Run};
use super::value::{Fault, Outcome, Val};
use prompty_core::jinja::is_python_space;

/// The filters of texts and numbers.
const FILTERS: &[(&str, FilterFn)] = &[
    ("abs", abs),
    ("capitalize", |run, value, _| recased(run, value, methods::capitalized)),
    ("center", center),
    ("default", default),
    ("d", default),
    ("e", escape),
    ("escape", escape),
    ("forceescape", escape),
    ("filesizeformat", file_size),
    ("float", float),
    ("format", format_values),
    ("indent", indent),
    ("int", int),
    ("lower", |run, value, _| recased(run, value, str::to_lowercase)),
    ("pprint", pretty),
    ("replace", replace),
    ("round", round),
    ("safe", |run, value, _| Ok(Val::Safe(run.text(value)?.into()))),
    ("string", string),
    ("striptags", |run, value, _| on_text(run, value, without_tags)),
    ("title", |run, value, _| recased(run, value, title)),
    ("tojson", json::to_json),
    ("trim", trim),
    ("truncate", truncate),
    ("upper", |run, value, _| recased(run, value, str::to_uppercase)),
    ("urlencode", |run, value, _| on_text(run, value, url_encoded)),
    ("wordcount", word_count),
    ("wordwrap", word_wrap),
];

/// The filter of a name.
pub(super) fn named(name: &str) -> Option<FilterFn> {
    all().find(|(known, _)| *known == name).map(|(_, filter)| filter)
}

/// All filters with their names.
pub(super) fn all() -> impl Iterator<Item = (&'static str, FilterFn)> {
    FILTERS.iter().chain(lists::FILTERS).copied()
}

fn on_text(run: &mut Run<'_>, value: &Val, change: fn(&str) -> String) -> Outcome {
    let text = run.text(value)?;
    run.pay_read(text.len())?;
    let changed = change(&text);
    run.note_part(&text, &changed);
    run.made(changed)
}

fn recased(run: &mut Run<'_>, value: &Val, change: fn(&str) -> String) -> Outcome {
    let text = run.text(value)?;
    run.pay_read(text.len())?;
    run.recased(&text, change(&text))
}

/// An argument that is a number; `default` where it is not given.
pub(super) fn count(
    arguments: &Arguments,
    index: usize,
    name: &str,
    default: usize,
) -> Outcome<usize> {
    match arguments.get(index, name) {
        None | Some(Val::None) => Ok(default),
        Some(value) => match value.as_integer() {
            Some(number) => Ok(usize::try_from(number.max(0)).unwrap_or(usize::MAX)),
            None => Err(Fault::render(format!("`{name}` must be a number"))),
        },
    }
}

/// An argument that says yes or no.
pub(super) fn flag(
    run: &Run<'_>,
    arguments: &Arguments,
    index: usize,
    name: &str,
    default: bool,
) -> bool {
    arguments.get(index, name).map_or(default, |value| run.is_true(value))
}

fn abs(_: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    match (value, value.as_integer()) {
        (Val::Float(number), _) => Ok(Val::Float(number.abs())),
        (_, Some(number)) => Ok(Val::Integer(number.saturating_abs())),
        _ => Err(Fault::render(format!("a {} has no absolute value", value.type_name()))),
    }
}

fn center(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let width = count(arguments, 0, "width", 80)?;
    methods::aligned(run, &text, width, ' ', methods::Side::Both)
}

fn default(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let also_false = flag(run, arguments, 1, "boolean", false);
    if value.is_undefined() || (also_false && !run.is_true(value)) {
        return Ok(arguments.get(0, "default_value").cloned().unwrap_or_else(|| Val::from("")));
    }
    Ok(value.clone())
}

fn escape(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    if matches!(value, Val::Safe(_)) {
        return Ok(value.clone());
    }
    let text = run.text(value)?;
    let escaped = escaped(&text);
    run.pay_built(escaped.len())?;
    Ok(Val::Safe(escaped.into()))
}

/// A text with what HTML gives a meaning written so that it has none.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\'' => escaped.push_str("&#39;"),
            '"' => escaped.push_str("&#34;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

fn file_size(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let bytes = to_float(value).unwrap_or_default();
    let is_binary = flag(run, arguments, 0, "binary", false);
    let base = if is_binary { 1024.0 } else { 1000.0 };
    let units = match is_binary {
        true => ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
        false => ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
    };
    if bytes < base {
        let unit = if bytes == 1.0 { "Byte" } else { "Bytes" };
        return run.made(format!("{bytes} {unit}"));
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
    run.made(format!("{size:.1} {}", name.copied().unwrap_or_default()))
}

/// A number out of a number or a text.
pub(super) fn to_float(value: &Val) -> Option<f64> {
    match value.as_str() {
        Some(text) => {
            let text = text.trim_matches(is_python_space).replace('_', "");
            // Rust reads more words for what is no number than Python; none of them matters here.
            text.parse().ok()
        }
        None => value.as_float(),
    }
}

/// A number that is read from a text is written in a way of its own.
fn note_number(run: &Run<'_>, value: &Val) {
    if value.as_str().is_some() {
        run.note_rewriting();
    }
}

fn float(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    match to_float(value) {
        Some(number) => Ok(Val::Float(number)),
        None => Ok(arguments.get(0, "default").cloned().unwrap_or(Val::Float(0.0))),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`int` cuts the fraction off")]
fn int(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    note_number(run, value);
    let base = count(arguments, 1, "base", 10)?;
    let found = match (value, value.as_str()) {
        (_, Some(text)) => {
            let text = text.trim_matches(is_python_space).replace('_', "");
            let (sign, digits) = match text.strip_prefix('-') {
                Some(digits) => (-1, digits),
                None => (1, text.strip_prefix('+').unwrap_or(&text)),
            };
            let lower = digits.to_lowercase();
            let digits = match base {
                16 => lower.strip_prefix("0x").unwrap_or(&lower),
                8 => lower.strip_prefix("0o").unwrap_or(&lower),
                2 => lower.strip_prefix("0b").unwrap_or(&lower),
                _ => &lower,
            };
            let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base));
            let is_number = digits.chars().all(char::is_alphanumeric);
            let whole = base
                .filter(|_| is_number)
                .and_then(|base| i128::from_str_radix(digits, base).ok())
                .map(|number| number * sign);
            whole.or_else(|| {
                let number = text.parse::<f64>().ok()?;
                number.is_finite().then_some(number.trunc() as i128)
            })
        }
        (Val::Float(number), _) => number.is_finite().then_some(number.trunc() as i128),
        _ => value.as_integer(),
    };
    match found {
        Some(number) => Ok(Val::Integer(number)),
        None => Ok(arguments.get(0, "default").cloned().unwrap_or(Val::Integer(0))),
    }
}

fn format_values(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let values = if arguments.named.is_empty() {
        run.tuple(arguments.positional.clone())?
    } else {
        let mut dict = super::value::Dict::default();
        arguments.named.iter().cloned().for_each(|(name, value)| dict.set(name, value));
        run.dict(dict)?
    };
    let text = format::percent(run, &text, &values)?;
    run.made(text)
}

fn indent(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let margin = match arguments.get(0, "width") {
        Some(Val::String(text) | Val::Safe(text)) => text.to_string(),
        _ => {
            let width = count(arguments, 0, "width", 4)?;
            run.pay_built(width)?;
            " ".repeat(width)
        }
    };
    let first = flag(run, arguments, 1, "first", false);
    let blank = flag(run, arguments, 2, "blank", false);
    let text = run.text(value)?;
    let lines = text.split('\n').count();
    run.pay_built(text.len().saturating_add(lines.saturating_mul(margin.len())))?;
    let mut indented = String::with_capacity(text.len() + lines * margin.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        if (index > 0 || first) && (blank || !line.is_empty() || (index == 0 && first)) {
            indented.push_str(&margin);
        }
        indented.push_str(line);
    }
    run.note_part(&text, &indented);
    Ok(Val::from(indented))
}

fn pretty(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let mut text = String::new();
    run.write_repr(value, &mut text, 0)?;
    run.made(text)
}

fn replace(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let from = run.text(arguments.need(0, "old")?)?;
    let to = run.text(arguments.need(1, "new")?)?;
    let most = arguments.get(2, "count").and_then(Val::as_integer);
    methods::replaced(run, &text, &from, &to, most)
}

fn round(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let precision = arguments.get(0, "precision").and_then(Val::as_integer).unwrap_or(0);
    let precision = i32::try_from(precision.clamp(-300, 300)).unwrap_or_default();
    let method = arguments.get(1, "method").map(|method| run.text(method)).transpose()?;
    let Some(number) = value.as_float() else {
        return Err(Fault::render(format!("a {} cannot be rounded", value.type_name())));
    };
    if let (Some(whole), None) = (value.as_integer(), method.as_deref()) {
        // A whole number stays one, rounded to tens or hundreds where that is asked for.
        let places = u32::try_from(-precision).unwrap_or_default().min(38);
        let Some(unit) = 10i128.checked_pow(places) else { return Ok(Val::Integer(0)) };
        let (below, rest) = (whole.div_euclid(unit), whole.rem_euclid(unit));
        let is_up = rest > unit - rest || (rest == unit - rest && below % 2 != 0);
        let rounded = (below + i128::from(is_up)).checked_mul(unit);
        return rounded.map(Val::Integer).ok_or_else(|| Fault::limit("this number is too large"));
    }
    let scale = 10f64.powi(precision);
    Ok(Val::Float(match method.as_deref() {
        Some("ceil") => (number * scale).ceil() / scale,
        Some("floor") => (number * scale).floor() / scale,
        _ if precision >= 0 => {
            // Correctly rounded, as Python's `round` is: ties go to the even digit.
            let places = usize::try_from(precision).unwrap_or_default();
            format!("{number:.places$}").parse().unwrap_or(number)
        }
        _ => (number * scale).round_ties_even() / scale,
    }))
}

fn string(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    if value.as_str().is_some() {
        return Ok(value.clone());
    }
    let text = run.text(value)?;
    run.made(text)
}

fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let end = if tag.starts_with("!--") { "-->" } else { ">" };
        match tag.split_once(end) {
            Some((_, behind)) => rest = behind,
            None => {
                plain.push('<');
                rest = tag;
                break;
            }
        }
    }
    plain.push_str(rest);
    plain.split(is_python_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Jinja's way, in which marks other than these stand within a word.
fn title(text: &str) -> String {
    let ends = |it: char| is_python_space(it) || matches!(it, '-' | '(' | '{' | '[' | '<');
    methods::titled(text, ends)
}

fn trim(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    let characters = arguments.get(0, "chars").and_then(Val::as_str);
    run.pay_read(text.len())?;
    let trimmed = methods::stripped(&text, characters, true, true);
    if trimmed.len() == text.len() && value.as_str().is_some() {
        return Ok(value.clone());
    }
    run.part(&text, trimmed)
}

fn truncate(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    run.pay_read(text.len())?;
    let length = count(arguments, 0, "length", 255)?;
    let kills_words = flag(run, arguments, 1, "killwords", false);
    let end = match arguments.get(2, "end") {
        Some(end) => run.text(end)?,
        None => "...".to_owned(),
    };
    let leeway = count(arguments, 3, "leeway", 5)?;
    if text.chars().count() <= length.saturating_add(leeway) {
        return run.made(text);
    }
    run.note_rewriting();
    let kept = length.saturating_sub(end.chars().count());
    let mut cut: String = text.chars().take(kept).collect();
    if !kills_words && let Some((before, _)) = cut.rsplit_once(' ') {
        cut = before.to_owned();
    }
    run.made(cut + &end)
}

fn url_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'~' | b'/') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn word_count(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    let text = run.text(value)?;
    run.pay_read(text.len())?;
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    Ok(Val::from(words.filter(|word| !word.is_empty()).count()))
}

fn word_wrap(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let text = run.text(value)?;
    run.pay_read(text.len())?;
    let width = count(arguments, 0, "width", 79)?.max(1);
    let breaks = flag(run, arguments, 1, "break_long_words", true);
    let newline = match arguments.get(2, "wrapstring") {
        Some(Val::None) | None => "\n".to_owned(),
        Some(text) => run.text(text)?,
    };
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut current = String::new();
        let mut length = 0;
        for word in line.split(' ') {
            let mut word = word;
            let mut size = word.chars().count();
            if length > 0 && length + 1 + size > width {
                lines.push(std::mem::take(&mut current));
                length = 0;
            }
            while breaks && size > width {
                let cut = word.char_indices().nth(width).map_or(word.len(), |(index, _)| index);
                let (head, tail) = word.split_at_checked(cut).unwrap_or((word, ""));
                lines.push(head.to_owned());
                word = tail;
                size -= width;
            }
            if length > 0 {
                current.push(' ');
                length += 1;
            }
            current.push_str(word);
            length += size;
        }
        lines.push(current);
    }
    run.pay_built(lines.len().saturating_mul(newline.len()))?;
    let wrapped = lines.join(&newline);
    run.note_part(&text, &wrapped);
    run.made(wrapped)
}
