//! Texts with places for values: `'%s' % x` and `'{}'.format(x)`.

use std::fmt::Write as _;

use super::print::write_float;
use super::run::{Arguments, Run};
use super::value::{Fault, Outcome, Val};
use prompty_core::text::slice;

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
pub(super) fn percent(run: &mut Run<'_>, text: &str, values: &Val) -> Outcome<String> {
    let mut given = match values {
        Val::Tuple(id) => run.heap.list(*id).to_vec(),
        other => vec![other.clone()],
    }
    .into_iter();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    run.note_form(text);
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        rest = behind;
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let mut name = None;
        if let Some(behind) = rest.strip_prefix('(')
            && let Some((found, behind)) = behind.split_once(')')
        {
            name = Some(found);
            rest = behind;
        }
        let (spec, behind) = percent_spec(rest);
        rest = behind;
        let value = match name {
            Some(name) => run.item(values, &Val::from(name))?,
            None => given
                .next()
                .ok_or_else(|| Fault::render("there are fewer values than places for them"))?,
        };
        write_spec(run, &value, &spec, &mut out)?;
    }
    out.push_str(rest);
    if given.next().is_some() && !matches!(values, Val::Dict(_)) && text.contains('%') {
        return Err(Fault::render("there are more values than places for them"));
    }
    Ok(out)
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

/// `text.format(values)`
pub(super) fn braces(run: &mut Run<'_>, text: &str, given: &Arguments) -> Outcome<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut next = 0;
    run.note_form(text);
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(slice(rest, ..at));
        let behind = slice(rest, at..);
        if let Some(behind) = behind.strip_prefix("{{") {
            out.push('{');
            rest = behind;
            continue;
        }
        if let Some(behind) = behind.strip_prefix("}}") {
            out.push('}');
            rest = behind;
            continue;
        }
        let Some((field, behind)) = behind.strip_prefix('{').and_then(|it| it.split_once('}'))
        else {
            return Err(Fault::render("a brace in a text to format stands alone"));
        };
        rest = behind;
        let (field, spec) = field.split_once(':').unwrap_or((field, ""));
        let (field, conversion) = field.split_once('!').unwrap_or((field, ""));
        let mut value = place(run, field, given, &mut next)?;
        if conversion == "r" {
            let mut text = String::new();
            run.write_repr(&value, &mut text, 0)?;
            value = Val::from(text);
        } else if conversion == "s" {
            value = Val::from(run.text(&value)?);
        }
        write_spec(run, &value, &brace_spec(spec), &mut out)?;
    }
    out.push_str(rest);
    Ok(out)
}

/// The value for `0`, `name`, `name.attribute` or `name[item]`.
fn place(run: &mut Run<'_>, field: &str, given: &Arguments, next: &mut usize) -> Outcome {
    let end = field.find(['.', '[']).unwrap_or(field.len());
    let (name, mut path) = field.split_at_checked(end).unwrap_or((field, ""));
    let index = match name {
        "" => {
            *next += 1;
            Some(*next - 1)
        }
        _ => name.parse::<usize>().ok(),
    };
    let found = match index {
        Some(index) => given.positional.get(index),
        None => given.by_name(name),
    };
    let mut value = found
        .cloned()
        .ok_or_else(|| Fault::render(format!("there is no value for the place `{{{field}}}`")))?;
    while !path.is_empty() {
        if let Some(behind) = path.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let (name, rest) = behind.split_at_checked(end).unwrap_or((behind, ""));
            value = run.attribute(&value, &name.into())?;
            path = rest;
        } else {
            let inner = path.strip_prefix('[').and_then(|path| path.split_once(']'));
            let Some((key, rest)) = inner else {
                return Err(Fault::render("a place in a text to format is not closed"));
            };
            let key = key.parse::<i128>().map_or_else(|_| Val::from(key), Val::Integer);
            value = run.item(&value, &key)?;
            path = rest;
        }
    }
    Ok(value)
}

/// `>8,.2f` and the like.
fn brace_spec(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut characters: Vec<char> = text.chars().collect();
    let is_align = |c: Option<&char>| c.is_some_and(|c| "<>=^".contains(*c));
    if is_align(characters.get(1)) {
        spec.fill = characters.first().copied();
        spec.align = characters.get(1).copied();
        characters.drain(..2);
    } else if is_align(characters.first()) {
        spec.align = characters.first().copied();
        characters.drain(..1);
    }
    let rest: String = characters.into_iter().collect();
    let mut rest = rest.as_str();
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

fn write_spec(run: &mut Run<'_>, value: &Val, spec: &Spec, out: &mut String) -> Outcome<()> {
    let is_text = matches!(spec.kind, Some('s' | 'r' | 'a'))
        || (spec.kind == Some('c') && value.as_str().is_some());
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
                (sign_of(number < 0, spec), prefixed(spec) + &digits)
            }
        }
        (None, Some(number)) if matches!(spec.kind, Some('d' | 'i' | 'u')) => {
            let whole = format!("{:.0}", number.abs().trunc());
            (sign_of(number < 0.0, spec), whole)
        }
        (_, Some(number)) => {
            let is_minus = number.is_sign_negative() && !number.is_nan();
            (sign_of(is_minus, spec), float_body(number.abs(), spec))
        }
        _ if matches!(spec.kind, None | Some('s')) => ("", text_body(run, value, spec)?),
        _ => {
            let message = format!("a {} cannot be written as a number", value.type_name());
            return Err(Fault::render(message));
        }
    };
    run.pay_built(body.len().saturating_add(spec.width))?;
    let missing = spec.width.saturating_sub(sign.len() + body.chars().count());
    let is_number = value.as_float().is_some() && !is_text;
    let fill = spec.fill.unwrap_or(' ');
    let fill = |count: usize, out: &mut String| (0..count).for_each(|_| out.push(fill));
    match spec.align.unwrap_or(if is_number { '>' } else { '<' }) {
        '<' => {
            let _ = write!(out, "{sign}{body}");
            fill(missing, out);
        }
        '^' => {
            fill(missing / 2, out);
            let _ = write!(out, "{sign}{body}");
            fill(missing - missing / 2, out);
        }
        '=' => {
            out.push_str(sign);
            fill(missing, out);
            out.push_str(&body);
        }
        _ => {
            fill(missing, out);
            let _ = write!(out, "{sign}{body}");
        }
    }
    Ok(())
}

fn text_body(run: &Run<'_>, value: &Val, spec: &Spec) -> Outcome<String> {
    let mut text = String::new();
    if matches!(spec.kind, Some('r' | 'a')) {
        run.write_repr(value, &mut text, 0)?;
    } else {
        run.write_text(value, &mut text)?;
    }
    Ok(match spec.precision {
        Some(precision) => {
            let cut: String = text.chars().take(precision).collect();
            run.note_part(&text, &cut);
            cut
        }
        None => text,
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
                write_float(number, &mut text);
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
