//! Texts with places for values: `'%s' % x` and `'{}'.format(x)`.

use std::borrow::Cow;

use super::arguments::Arguments;
use super::fault::{Fault, shown};
use super::print::write_float;
use super::run::Run;
use super::text::Writer;
use super::value::{Outcome, Val};
use prompty_core::text::slice;

/// What it costs to write a digit.
const DIGIT: usize = 8;

/// The widest that a place may be.
const WIDEST: usize = 10_000;

/// How a value is written into its place.
#[derive(Debug, Clone, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    width: usize,
    comma: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// `text % values`
pub(super) fn percent(run: &mut Run<'_>, text: &str, values: &Val) -> Outcome {
    let mut given = Values { values, next: 0 };
    let mut out = run.writer();
    let mut rest = text;
    // A parenthesis that is not closed is looked for once.
    let mut closes = true;
    run.note_form(text)?;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push(before)?;
        rest = behind;
        if let Some(behind) = rest.strip_prefix('%') {
            out.push("%")?;
            rest = behind;
            continue;
        }
        run.meter.pay_steps(1)?;
        let mut name = None;
        if closes && let Some(behind) = rest.strip_prefix('(') {
            match behind.split_once(')') {
                Some((found, behind)) => (name, rest) = (Some(found), behind),
                None => closes = false,
            }
        }
        let (spec, behind) = percent_spec(rest);
        rest = behind;
        let value = match name {
            Some(name) => {
                let name = run.copy(name)?;
                run.item(values, &name)?
            }
            None => given
                .next(run)
                .ok_or_else(|| Fault::render("there are fewer values than places for them"))?,
        };
        write_spec(run, &value, &spec, &mut out)?;
    }
    out.push(rest)?;
    if given.next(run).is_some() && !matches!(values, Val::Dict(_)) && text.contains('%') {
        return Err(Fault::render("there are more values than places for them"));
    }
    out.finish().map(Val::String)
}

/// The values for places without a name: the items of a tuple, or the one value that there is.
struct Values<'v> {
    values: &'v Val,
    next: usize,
}

impl Values<'_> {
    fn next(&mut self, run: &Run<'_>) -> Option<Val> {
        let place = self.next;
        self.next += 1;
        match self.values {
            Val::Tuple(id) => run.heap.list_item(*id, place).cloned(),
            other => (place == 0).then(|| other.clone()),
        }
    }
}

/// `-05.2f` and the like, and what follows.
fn percent_spec(text: &str) -> (Spec, &str) {
    let mut spec = Spec { align: Some('>'), ..Spec::default() };
    let mut rest = text;
    while let Some(flag) = rest.chars().next().filter(|flag| "-+ 0#".contains(*flag)) {
        match flag {
            '-' => spec.align = Some('<'),
            '0' => spec.fill = Some('0'),
            '#' => spec.alternate = true,
            _ => spec.sign = Some(flag),
        }
        rest = slice(rest, 1..);
    }
    (spec.width, rest) = digits(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = digits(behind);
        spec.precision = Some(precision);
        rest = behind;
    }
    let kind = rest.chars().next();
    spec.kind = kind;
    if spec.fill == Some('0') && spec.align != Some('<') {
        spec.align = Some('=');
    } else {
        spec.fill = None;
    }
    (spec, slice(rest, kind.map_or(0, char::len_utf8)..))
}

fn digits(text: &str) -> (usize, &str) {
    let length = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(length).unwrap_or(("", text));
    (digits.parse().unwrap_or(if digits.is_empty() { 0 } else { WIDEST }).min(WIDEST), rest)
}

/// What the places of a text are filled with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given<'g> {
    Arguments(&'g Arguments),
    /// The entries of a map.
    Map(u32),
}

impl Given<'_> {
    /// The value by its place or its name.
    fn get(self, run: &Run<'_>, index: Option<usize>, name: &str) -> Outcome<Option<Val>> {
        let found = match (self, index) {
            (Self::Arguments(given), Some(index)) => given.positional.get(index),
            (Self::Arguments(given), None) => given.named.get(name, &run.meter)?,
            (Self::Map(_), Some(_)) => None,
            (Self::Map(id), None) => run.heap.dict(id).get(name, &run.meter)?,
        };
        Ok(found.cloned())
    }
}

/// `text.format(values)`
pub(super) fn braces(run: &mut Run<'_>, text: &str, given: Given<'_>) -> Outcome {
    let mut out = run.writer();
    let mut rest = text;
    let mut next = 0;
    run.note_form(text)?;
    while let Some(at) = rest.find(['{', '}']) {
        out.push(slice(rest, ..at))?;
        run.meter.pay_items(1)?;
        let behind = slice(rest, at..);
        if let Some(behind) = behind.strip_prefix("{{") {
            out.push("{")?;
            rest = behind;
            continue;
        }
        if let Some(behind) = behind.strip_prefix("}}") {
            out.push("}")?;
            rest = behind;
            continue;
        }
        let Some((field, behind)) = behind.strip_prefix('{').and_then(|it| it.split_once('}'))
        else {
            return Err(Fault::render("a brace in a text to format stands alone"));
        };
        rest = behind;
        run.meter.pay_steps(1)?;
        let (field, spec) = field.split_once(':').unwrap_or((field, ""));
        let (field, conversion) = field.split_once('!').unwrap_or((field, ""));
        let mut value = place(run, field, given, &mut next)?;
        if conversion == "r" {
            let mut text = run.writer();
            run.write_repr(&value, &mut text, 0)?;
            value = text.finish().map(Val::String)?;
        } else if conversion == "s" {
            let mut text = run.writer();
            run.write_text(&value, &mut text)?;
            value = text.finish().map(Val::String)?;
        }
        write_spec(run, &value, &brace_spec(spec), &mut out)?;
    }
    out.push(rest)?;
    out.finish().map(Val::String)
}

/// The value for `0`, `name`, `name.attribute` or `name[item]`.
fn place(run: &mut Run<'_>, field: &str, given: Given<'_>, next: &mut usize) -> Outcome {
    let end = field.find(['.', '[']).unwrap_or(field.len());
    let (name, mut path) = field.split_at_checked(end).unwrap_or((field, ""));
    let index = match name {
        "" => {
            *next += 1;
            Some(*next - 1)
        }
        _ => name.parse::<usize>().ok(),
    };
    let mut value = given.get(run, index, name)?.ok_or_else(|| {
        Fault::render(format!("there is no value for the place `{{{}}}`", shown(field)))
    })?;
    while !path.is_empty() {
        run.meter.pay_steps(1)?;
        if let Some(behind) = path.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let (name, rest) = behind.split_at_checked(end).unwrap_or((behind, ""));
            run.meter.pay_built(name.len())?;
            value = run.attribute(&value, &name.into())?;
            path = rest;
        } else {
            let inner = path.strip_prefix('[').and_then(|path| path.split_once(']'));
            let Some((key, rest)) = inner else {
                return Err(Fault::render("a place in a text to format is not closed"));
            };
            let key = match key.parse::<i128>() {
                Ok(number) => Val::Integer(number),
                Err(_) => run.copy(key)?,
            };
            value = run.item(&value, &key)?;
            path = rest;
        }
    }
    Ok(value)
}

/// `>8,.2f` and the like.
fn brace_spec(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut rest = text;
    let mut characters = text.chars();
    let (first, second) = (characters.next(), characters.next());
    let is_align = |c: Option<char>| c.is_some_and(|c| "<>=^".contains(c));
    if is_align(second) {
        (spec.fill, spec.align) = (first, second);
        rest = characters.as_str();
    } else if is_align(first) {
        spec.align = first;
        rest = slice(text, 1..);
    }
    if let Some(sign) = rest.chars().next().filter(|sign| "+- ".contains(*sign)) {
        spec.sign = Some(sign);
        rest = slice(rest, 1..);
    }
    if let Some(behind) = rest.strip_prefix('#') {
        spec.alternate = true;
        rest = behind;
    }
    if rest.starts_with('0') && spec.align.is_none() {
        spec.fill = Some('0');
        spec.align = Some('=');
    }
    (spec.width, rest) = digits(rest);
    if let Some(comma) = rest.chars().next().filter(|comma| ",_".contains(*comma)) {
        spec.comma = Some(comma);
        rest = slice(rest, 1..);
    }
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = digits(behind);
        spec.precision = Some(precision);
        rest = behind;
    }
    spec.kind = rest.chars().next();
    spec
}

fn write_spec(run: &mut Run<'_>, value: &Val, spec: &Spec, out: &mut Writer) -> Outcome<()> {
    let is_text = matches!(spec.kind, Some('s' | 'r' | 'a'))
        || (spec.kind == Some('c') && value.as_text().is_some());
    if !is_text && value.as_text().is_none() {
        // The digits of a number.
        run.meter.pay_steps(1)?;
        run.meter.pay(spec.precision.unwrap_or_default().saturating_mul(DIGIT))?;
    }
    let (sign, body) = match (value.as_integer(), value.as_float()) {
        _ if is_text => ("", text_body(run, value, spec)?),
        (Some(number), _)
            if !matches!(spec.kind, Some('f' | 'F' | 'e' | 'E' | 'g' | 'G' | '%')) =>
        {
            if matches!(value, Val::Bool(_)) && spec.kind.is_none() {
                ("", run.text(value)?)
            } else {
                let digits = match spec.kind {
                    Some('x') => format!("{:x}", number.unsigned_abs()),
                    Some('X') => format!("{:X}", number.unsigned_abs()),
                    Some('o') => format!("{:o}", number.unsigned_abs()),
                    Some('b') => format!("{:b}", number.unsigned_abs()),
                    _ => grouped(&number.unsigned_abs().to_string(), spec.comma),
                };
                (sign_of(number < 0, spec), Cow::Owned(prefixed(spec) + &digits))
            }
        }
        (None, Some(number)) if matches!(spec.kind, Some('d' | 'i' | 'u')) => {
            let whole = format!("{:.0}", number.abs().trunc());
            (sign_of(number < 0.0, spec), Cow::Owned(whole))
        }
        (_, Some(number)) => {
            let is_minus = number.is_sign_negative() && !number.is_nan();
            (sign_of(is_minus, spec), Cow::Owned(float_body(number.abs(), spec)))
        }
        _ if matches!(spec.kind, None | Some('s')) => ("", text_body(run, value, spec)?),
        _ => {
            let message = format!("a {} cannot be written as a number", value.type_name());
            return Err(Fault::render(message));
        }
    };
    let missing = spec.width.saturating_sub(sign.len() + body.chars().count());
    let is_number = value.as_float().is_some() && !is_text;
    let fill = spec.fill.unwrap_or(' ');
    let (before, between, behind) = match spec.align.unwrap_or(if is_number { '>' } else { '<' }) {
        '<' => (0, 0, missing),
        '^' => (missing / 2, 0, missing - missing / 2),
        '=' => (0, missing, 0),
        _ => (missing, 0, 0),
    };
    out.push_repeated(fill, before)?;
    out.push(sign)?;
    out.push_repeated(fill, between)?;
    out.push(&body)?;
    out.push_repeated(fill, behind)
}

fn text_body<'v>(run: &Run<'_>, value: &'v Val, spec: &Spec) -> Outcome<Cow<'v, str>> {
    let text = if matches!(spec.kind, Some('r' | 'a')) {
        let mut text = run.writer();
        run.write_repr(value, &mut text, 0)?;
        Cow::Owned(text.into_string())
    } else {
        run.text(value)?
    };
    let Some(precision) = spec.precision else { return Ok(text) };
    let Some((at, _)) = text.char_indices().nth(precision) else { return Ok(text) };
    run.note_part(&text, slice(&text, ..at));
    Ok(match text {
        Cow::Borrowed(text) => Cow::Borrowed(slice(text, ..at)),
        Cow::Owned(mut text) => {
            text.truncate(at);
            Cow::Owned(text)
        }
    })
}

fn sign_of(is_minus: bool, spec: &Spec) -> &'static str {
    match spec.sign {
        _ if is_minus => "-",
        Some('+') => "+",
        Some(' ') => " ",
        _ => "",
    }
}

fn prefixed(spec: &Spec) -> String {
    match spec.kind {
        Some(kind @ ('x' | 'X' | 'o' | 'b')) if spec.alternate => format!("0{kind}"),
        _ => String::new(),
    }
}

/// Digits with a separator between each three.
fn grouped(digits: &str, comma: Option<char>) -> String {
    let Some(comma) = comma else { return digits.to_owned() };
    let (whole, fraction) =
        digits.split_at_checked(digits.find('.').unwrap_or(digits.len())).unwrap_or((digits, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(comma);
        }
        grouped.push(digit);
    }
    grouped + fraction
}

fn float_body(number: f64, spec: &Spec) -> String {
    let precision = spec.precision.unwrap_or(6);
    let scientific = |number: f64, precision: usize| {
        let text = format!("{number:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    };
    let body = match spec.kind {
        Some('f' | 'F') => format!("{number:.precision$}"),
        Some('%') => format!("{:.precision$}%", number * 100.0),
        Some('e') => scientific(number, precision),
        Some('E') => scientific(number, precision).to_uppercase(),
        Some('g' | 'G') => general(number, precision.max(1), &scientific),
        _ => match spec.precision {
            Some(precision) => general(number, precision.max(1), &scientific),
            None => {
                let mut text = String::new();
                // Writing to a `String` does not fail.
                let _ = write_float(number, &mut text);
                text
            }
        },
    };
    grouped(&body, spec.comma)
}

fn general(number: f64, precision: usize, scientific: &dyn Fn(f64, usize) -> String) -> String {
    let exponent = if number == 0.0 { 0.0 } else { number.log10().floor() };
    let text = if exponent < -4.0 || exponent >= precision as f64 {
        scientific(number, precision - 1)
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "it lies between -4 and the precision")]
        let places = (precision as i64 - 1 - exponent as i64).max(0);
        let places = usize::try_from(places).unwrap_or_default();
        format!("{number:.places$}")
    };
    match text.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{exponent}")
        }
        None if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text,
    }
}
