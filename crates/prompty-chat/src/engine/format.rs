//! Formats strings, `'%s' % x` and `'{}'.format(x)`, and pays for the work. Parsing and filling the
//! format strings is in [`prompty_template::jinja::format`].

use std::borrow::Cow;

use super::arguments::Arguments;
use super::fault::Fault;
use super::print::write_float;
use super::run::Run;
use super::text::{TextWriter, string};
use super::value::{Outcome, Val};
use prompty_template::jinja::format::{
    Filler, FormatError, Step, Subject, fill_braces, fill_percent,
};

/// The cost of writing a digit, in units of work.
const DIGIT_COST: usize = 8;

/// `text % values`
pub(super) fn percent(run: &mut Run<'_>, text: &str, values: &Val) -> Outcome {
    run.note_format_string(text)?;
    let mut filling = FormatFiller { out: run.writer(), run, given: FormatValues::Operand(values) };
    let used_count = fill_percent(&mut filling, text)?;
    // A list or a map may have unused items. A text without a `%` is not an error here: the audit
    // renders again with other characters in place of `%` (see `audit::substitution`), and that
    // render must not fail.
    if matches!(values, Val::List(_) | Val::Dict(_)) || !text.contains('%') {
        return filling.finish();
    }
    match filling.by_number(used_count)? {
        Some(_) => Err(filling.refuse(&FormatError::TooMany)),
        None => filling.finish(),
    }
}

/// `text.format(values)`
pub(super) fn braces(run: &mut Run<'_>, text: &str, given: FormatValues<'_>) -> Outcome {
    run.note_format_string(text)?;
    let mut filling = FormatFiller { out: run.writer(), run, given };
    fill_braces(&mut filling, text)?;
    filling.finish()
}

/// The values that fill a format string.
#[derive(Debug, Clone, Copy)]
pub(super) enum FormatValues<'g> {
    /// The operand of `%`: the items of a tuple, or one value, whose entries have names.
    Operand(&'g Val),
    Arguments(&'g Arguments),
    /// The entries of a map.
    Map(u32),
}

/// A format string that is being filled.
struct FormatFiller<'f, 'r> {
    run: &'f mut Run<'r>,
    given: FormatValues<'f>,
    out: TextWriter,
}

impl FormatFiller<'_, '_> {
    fn finish(self) -> Outcome {
        self.out.finish().map(Val::String)
    }
}

impl Filler for FormatFiller<'_, '_> {
    type Value = Val;
    type Fault = Fault;

    fn by_number(&mut self, index: usize) -> Outcome<Option<Val>> {
        Ok(match self.given {
            FormatValues::Operand(Val::Tuple(id)) => self.run.heap.list(*id).get(index).cloned(),
            FormatValues::Operand(value) => (index == 0).then(|| value.clone()),
            FormatValues::Arguments(given) => given.positional.get(index).cloned(),
            FormatValues::Map(_) => None,
        })
    }

    fn by_name(&mut self, name: &str) -> Outcome<Option<Val>> {
        Ok(match self.given {
            FormatValues::Operand(value) => {
                let name = self.run.copy(name)?;
                Some(self.run.item(value, &name)?)
            }
            FormatValues::Arguments(given) => given.named.get(name, &self.run.meter)?.cloned(),
            FormatValues::Map(id) => self.run.heap.dict(id).get(name, &self.run.meter)?.cloned(),
        })
    }

    fn part(&mut self, value: &Val, step: Step<'_>) -> Outcome {
        match step {
            Step::Attribute(name) => {
                self.run.meter.pay_memory(name.len())?;
                self.run.attribute(value, &name.into())
            }
            Step::Index(number) => self.run.item(value, &Val::Integer(number)),
            Step::Key(key) => {
                let key = self.run.copy(key)?;
                self.run.item(value, &key)
            }
        }
    }

    fn subject(&self, value: &Val) -> Subject {
        match (value, value.as_integer(), value.as_float()) {
            (Val::Bool(is_true), ..) => Subject::Boolean(*is_true),
            (_, Some(number), _) => Subject::Integer(number),
            (_, None, Some(number)) => Subject::Float(number),
            _ if value.as_text().is_some() => Subject::Text,
            _ => Subject::Other,
        }
    }

    fn text<'v>(&mut self, value: &'v Val) -> Outcome<Cow<'v, str>> {
        self.run.text(value)
    }

    fn literal<'v>(&mut self, value: &'v Val) -> Outcome<Cow<'v, str>> {
        let mut text = self.run.writer();
        self.run.write_repr(value, &mut text, 0)?;
        Ok(Cow::Owned(text.into_string()))
    }

    fn float(&self, number: f64) -> String {
        string(|out| write_float(number, out))
    }

    fn pay_piece(&mut self) -> Outcome<()> {
        self.run.meter.pay_steps(1)
    }

    fn pay_digits(&mut self, digits: usize) -> Outcome<()> {
        self.run.meter.pay_units(digits.saturating_mul(DIGIT_COST))
    }

    fn note_part(&mut self, original: &str, part: &str) {
        self.run.note_part(original, part);
    }

    fn push(&mut self, text: &str) -> Outcome<()> {
        self.out.push(text)
    }

    fn repeat(&mut self, character: char, times: usize) -> Outcome<()> {
        self.out.push_repeated(character, times)
    }

    fn refuse(&self, wrong: &FormatError) -> Fault {
        Fault::render(wrong.to_string())
    }
}
