//! `tojson`: writes JSON like Python's `json.dumps`.

use std::borrow::Cow;
use std::fmt;

use super::arguments::Arguments;
use super::dict::Dict;
use super::fault::{Fault, RAISE_LIMITS};
use super::heap::ItemList;
use super::keys::sort_positions;
use super::print::write_float;
use super::run::Run;
use super::text::{Text, TextWriter, string};
use super::value::{Outcome, Val};
use prompty_core::value::internal::json::{JsonStyle, JsonWriter};

/// The filter `tojson`.
pub(super) fn to_json(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let is_true = |value: Option<&Val>| value.is_some_and(|value| run.is_true(value));
    let indent = match arguments.get(1, "indent") {
        None | Some(Val::None | Val::Undefined) => None,
        Some(indent) => match (indent.as_integer(), indent.as_text()) {
            (Some(width), _) => {
                Some(Cow::Owned(" ".repeat(usize::try_from(width.clamp(0, 64)).unwrap_or(0))))
            }
            (None, Some(text)) => Some(Cow::Borrowed(text.read(&run.meter)?)),
            _ => return Err(Fault::render("`indent` must be an integer or a string")),
        },
    };
    let separators = match arguments.get(2, "separators") {
        None | Some(Val::None) => None,
        Some(separators) => {
            let items = match separators {
                Val::List(id) | Val::Tuple(id) => run.heap.list(*id).as_slice(),
                _ => &[],
            };
            let strings = match items {
                [item, name] => item.as_text().zip(name.as_text()),
                _ => None,
            };
            let wrong = || Fault::render("`separators` must be a list of two strings");
            Some(strings.ok_or_else(wrong)?)
        }
    };
    let default_item = if indent.is_some() { "," } else { ", " };
    let (item_separator, name_separator) = match separators {
        Some((item, name)) => (item.read(&run.meter)?, name.read(&run.meter)?),
        None => (default_item, ": "),
    };
    let style = JsonStyle {
        item_separator,
        name_separator,
        indent: indent.as_deref(),
        ensure_ascii: is_true(arguments.get(0, "ensure_ascii")),
        exact_floats: true,
    };
    let sort_keys = is_true(arguments.get(3, "sort_keys"));
    let mut json = JsonDump { run, writer: JsonWriter::new(run.writer(), style), sort_keys };
    json.value(value, 0)?;
    json.writer.into_inner().finish().map(Val::String)
}

/// Writes the values of a run as JSON.
struct JsonDump<'run, 'style, 'limits> {
    run: &'run Run<'limits>,
    writer: JsonWriter<'style, TextWriter>,
    sort_keys: bool,
}

impl JsonDump<'_, '_, '_> {
    fn value(&mut self, value: &Val, depth: usize) -> Outcome<()> {
        self.run.pay_nested_value(depth, "the value for JSON is")?;
        match value {
            Val::String(text) | Val::Safe(text) => {
                let text = text.read(&self.run.meter)?;
                if !text.is_ascii() {
                    self.run.meter.pay_characters(text)?;
                }
                self.writer.string(text)?;
            }
            Val::List(id) | Val::Tuple(id) => {
                self.writer.begin('[')?;
                for item in self.run.heap.list(*id).iter_paid(&self.run.meter) {
                    self.pay_layout(depth)?;
                    self.writer.item()?;
                    self.value(item?, depth + 1)?;
                }
                self.writer.end(']')?;
            }
            Val::Dict(id) => self.dict(self.run.heap.dict(*id), depth)?,
            other => match word(other) {
                Some(word) => self.writer.word(&word)?,
                None => return Err(Fault::wrong_type(other, "cannot be written as JSON")),
            },
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Dict, depth: usize) -> Outcome<()> {
        self.writer.begin('{')?;
        if self.sort_keys {
            for position in self.sort_positions(dict)? {
                if let Some((name, value)) = dict.entry(position) {
                    self.entry(name, value, depth)?;
                }
            }
        } else {
            for entry in dict.iter_paid(&self.run.meter) {
                let (name, value) = entry?;
                self.entry(name, value, depth)?;
            }
        }
        self.writer.end('}')?;
        Ok(())
    }

    /// The positions of a map's entries in the order of their keys. Keys of other types come first.
    fn sort_positions(&self, dict: &Dict) -> Outcome<Vec<usize>> {
        let meter = &self.run.meter;
        let mut keys = ItemList::default();
        for entry in dict.iter_paid(meter) {
            let (name, _) = entry?;
            let key = name.as_text().cloned().unwrap_or_else(|| Text::literal(""));
            keys.push(Val::String(key), meter)?;
        }
        sort_positions(self.run, keys.as_slice(), false)
    }

    fn entry(&mut self, name: &Val, value: &Val, depth: usize) -> Outcome<()> {
        self.pay_layout(depth)?;
        match name.as_text() {
            Some(name) => self.writer.name(name.read(&self.run.meter)?)?,
            None => {
                let wrong_key = || Fault::wrong_type(name, "cannot be a key in JSON");
                self.writer.name(&word(name).ok_or_else(wrong_key)?)?;
            }
        }
        self.value(value, depth + 1)
    }

    /// Pays for the layout around an entry: the indentation of each level.
    fn pay_layout(&self, depth: usize) -> Outcome<()> {
        self.run.meter.pay_items(depth + 1)
    }
}

impl From<fmt::Error> for Fault {
    /// Writing fails only if the budget is used up.
    fn from(_: fmt::Error) -> Self {
        Self::limit("the template builds more text than its limit allows").with_help(RAISE_LIMITS)
    }
}

/// A value that JSON writes without quotes, as Python's `json.dumps` writes it.
fn word(value: &Val) -> Option<Cow<'static, str>> {
    Some(match value {
        Val::None => "null".into(),
        Val::Bool(true) => "true".into(),
        Val::Bool(false) => "false".into(),
        Val::Integer(number) => number.to_string().into(),
        Val::Float(number) if number.is_nan() => "NaN".into(),
        Val::Float(f64::INFINITY) => "Infinity".into(),
        Val::Float(f64::NEG_INFINITY) => "-Infinity".into(),
        Val::Float(number) => string(|out| write_float(*number, out)).into(),
        _ => return None,
    })
}
