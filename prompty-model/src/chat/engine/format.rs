//! Texts with places for values, `'%s' % x` and `'{}'.format(x)`, filled with values and paid for. How the
//! texts are read, and what numbers look like, is in [`prompty_core::jinja::format`].

use std::borrow::Cow;

use super::arguments::Arguments;
use super::fault::{Fault, shown};
use super::print::write_float;
use super::run::Run;
use super::text::Writer;
use super::value::{Outcome, Val};
use prompty_core::jinja::format::{
    BracePiece, Digits, Number, Path, PercentPiece, Root, Spec, Step, brace_pieces, percent_pieces,
};
use prompty_core::text::slice;

/// What it costs to write a digit.
const DIGIT: usize = 8;

/// `text % values`
pub(super) fn percent(run: &mut Run<'_>, text: &str, values: &Val) -> Outcome {
    let mut given = Values { values, next: 0 };
    let mut out = run.writer();
    run.note_form(text)?;
    for piece in percent_pieces(text) {
        run.meter.pay_steps(1)?;
        let (name, spec) = match piece {
            PercentPiece::Text(text) => {
                out.push(text)?;
                continue;
            }
            PercentPiece::Place { name, spec } => (name, spec),
        };
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

/// What the places of a text are filled with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given<'g> {
    Arguments(&'g Arguments),
    /// The entries of a map.
    Map(u32),
}

impl Given<'_> {
    /// The value by its place or its name.
    fn get(self, run: &Run<'_>, root: Root<'_>) -> Outcome<Option<Val>> {
        let found = match (self, root) {
            (Self::Arguments(given), Root::Index(index)) => given.positional.get(index),
            (Self::Arguments(given), Root::Name(name)) => given.named.get(name, &run.meter)?,
            (Self::Map(_), Root::Index(_)) => None,
            (Self::Map(id), Root::Name(name)) => run.heap.dict(id).get(name, &run.meter)?,
        };
        Ok(found.cloned())
    }
}

/// `text.format(values)`
pub(super) fn braces(run: &mut Run<'_>, text: &str, given: Given<'_>) -> Outcome {
    let mut out = run.writer();
    run.note_form(text)?;
    for piece in brace_pieces(text) {
        run.meter.pay_items(1)?;
        let (field, root, path, conversion, spec) = match piece {
            BracePiece::Text(text) => {
                out.push(text)?;
                continue;
            }
            BracePiece::Alone => {
                return Err(Fault::render("a brace in a text to format stands alone"));
            }
            BracePiece::Place { field, root, path, conversion, spec } => {
                (field, root, path, conversion, spec)
            }
        };
        run.meter.pay_steps(1)?;
        let found = given.get(run, root)?.ok_or_else(|| {
            Fault::render(format!("there is no value for the place `{{{}}}`", shown(field)))
        })?;
        let mut value = part(run, found, path)?;
        if conversion == Some('r') {
            let mut text = run.writer();
            run.write_repr(&value, &mut text, 0)?;
            value = text.finish().map(Val::String)?;
        } else if conversion == Some('s') {
            let mut text = run.writer();
            run.write_text(&value, &mut text)?;
            value = text.finish().map(Val::String)?;
        }
        write_spec(run, &value, &spec, &mut out)?;
    }
    out.finish().map(Val::String)
}

/// The part of a value that `.attribute` and `[item]` lead to.
fn part(run: &mut Run<'_>, value: Val, path: Path<'_>) -> Outcome {
    let mut value = value;
    for step in path {
        run.meter.pay_steps(1)?;
        value = match step {
            Step::Attribute(name) => {
                run.meter.pay_built(name.len())?;
                run.attribute(&value, &name.into())?
            }
            Step::Index(number) => run.item(&value, &Val::Integer(number))?,
            Step::Key(key) => {
                let key = run.copy(key)?;
                run.item(&value, &key)?
            }
            Step::Broken => {
                return Err(Fault::render("a place in a text to format is not closed"));
            }
        };
    }
    Ok(value)
}

fn write_spec(run: &mut Run<'_>, value: &Val, spec: &Spec, out: &mut Writer) -> Outcome<()> {
    let is_text = spec.wants_text(value.as_text().is_some());
    if !is_text && value.as_text().is_none() {
        // The digits of a number.
        run.meter.pay_steps(1)?;
        run.meter.pay(spec.precision().saturating_mul(DIGIT))?;
    }
    let is_open_bool = matches!(value, Val::Bool(_)) && spec.is_open();
    let number = match (value.as_integer(), value.as_float()) {
        _ if is_text || is_open_bool => None,
        (Some(number), _) => Some(Number::Integer(number)),
        (None, float) => float.map(Number::Float),
    };
    let (sign, body) = match number {
        Some(number) => {
            let Digits { sign, text } = spec.digits(number, |float| {
                let mut text = String::new();
                // Writing to a `String` does not fail.
                let _ = write_float(float, &mut text);
                text
            });
            (sign, Cow::Owned(text))
        }
        None if is_open_bool => ("", run.text(value)?),
        None if spec.takes_text() || is_text => ("", text_body(run, value, spec)?),
        None => {
            let message = format!("a {} cannot be written as a number", value.type_name());
            return Err(Fault::render(message));
        }
    };
    let is_number = value.as_float().is_some() && !is_text;
    let padding = spec.padding(sign.len() + body.chars().count(), is_number);
    out.push_repeated(padding.fill, padding.before)?;
    out.push(sign)?;
    out.push_repeated(padding.fill, padding.between)?;
    out.push(&body)?;
    out.push_repeated(padding.fill, padding.behind)
}

fn text_body<'v>(run: &Run<'_>, value: &'v Val, spec: &Spec) -> Outcome<Cow<'v, str>> {
    let text = if spec.wants_literal() {
        let mut text = run.writer();
        run.write_repr(value, &mut text, 0)?;
        Cow::Owned(text.into_string())
    } else {
        run.text(value)?
    };
    let Some(kept) = spec.cut(&text).map(str::len) else { return Ok(text) };
    run.note_part(&text, slice(&text, ..kept));
    Ok(match text {
        Cow::Borrowed(text) => Cow::Borrowed(slice(text, ..kept)),
        Cow::Owned(mut text) => {
            text.truncate(kept);
            Cow::Owned(text)
        }
    })
}
