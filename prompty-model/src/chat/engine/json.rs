//! `tojson`: JSON as Python's `json.dumps` writes it.

use std::fmt::{self, Write};

use super::print::write_float;
use super::run::{Arguments, MAX_NESTING, Run};
use super::value::{Dict, Fault, Outcome, Val};
use prompty_core::value::internal::json::{JsonStyle, JsonWriter};

/// The filter `tojson`.
pub(super) fn to_json(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let is_true = |value: Option<&Val>| value.is_some_and(|value| run.is_true(value));
    let indent = match arguments.get(1, "indent") {
        None | Some(Val::None | Val::Undefined) => None,
        Some(indent) => match (indent.as_integer(), indent.as_str()) {
            (Some(width), _) => Some(" ".repeat(usize::try_from(width.clamp(0, 64)).unwrap_or(0))),
            (None, Some(text)) => Some(text.to_owned()),
            _ => return Err(Fault::render("`indent` must be a number or a text")),
        },
    };
    let separators = match arguments.get(2, "separators") {
        Some(Val::List(id) | Val::Tuple(id)) => match run.heap.list(*id) {
            [item, name] => item.as_str().zip(name.as_str()),
            _ => None,
        },
        _ => None,
    };
    let default_item = if indent.is_some() { "," } else { ", " };
    let (item_separator, name_separator) = separators.unwrap_or((default_item, ": "));
    let style = JsonStyle {
        item_separator,
        name_separator,
        indent: indent.as_deref(),
        ensure_ascii: is_true(arguments.get(0, "ensure_ascii")),
    };
    let json = {
        let run = &*run;
        let out =
            LimitedText { text: String::new(), limit: run.limits.max_output.saturating_mul(4) };
        let mut dump = Dump {
            run,
            writer: JsonWriter::new(out, style),
            separators: item_separator.len() + name_separator.len(),
            indent: indent.as_deref().map_or(0, str::len),
            sort_keys: is_true(arguments.get(3, "sort_keys")),
        };
        dump.value(value, 0)?;
        dump.writer.into_inner().text
    };
    run.made(json)
}

/// A text that does not grow beyond what a render may build.
struct LimitedText {
    text: String,
    limit: usize,
}

impl Write for LimitedText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.text.len().saturating_add(piece.len()) > self.limit {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

impl From<fmt::Error> for Fault {
    /// Only a text that is full refuses to be written to.
    fn from(_: fmt::Error) -> Self {
        Self::limit("the template builds more text than it may")
    }
}

/// Writes the values of a run as JSON.
struct Dump<'run, 'style, 'limits> {
    run: &'run Run<'limits>,
    writer: JsonWriter<'style, LimitedText>,
    /// How long the separators of an entry are.
    separators: usize,
    /// How long the indentation of a level is.
    indent: usize,
    sort_keys: bool,
}

impl Dump<'_, '_, '_> {
    fn value(&mut self, value: &Val, depth: usize) -> Outcome<()> {
        if depth > MAX_NESTING {
            return Err(Fault::limit("a value is nested too deep for JSON"));
        }
        self.run.pay(1)?;
        match value {
            Val::None => self.writer.word("null")?,
            Val::Bool(true) => self.writer.word("true")?,
            Val::Bool(false) => self.writer.word("false")?,
            Val::Integer(number) => self.writer.word(&number.to_string())?,
            Val::Float(number) => self.writer.word(&number_to_json(*number))?,
            Val::String(text) | Val::Safe(text) => {
                self.run.pay_read(text.len())?;
                self.writer.string(text)?;
            }
            Val::List(id) | Val::Tuple(id) => {
                self.writer.begin('[')?;
                for item in self.run.heap.list(*id) {
                    self.pay_layout(depth)?;
                    self.writer.item()?;
                    self.value(item, depth + 1)?;
                }
                self.writer.end(']')?;
            }
            Val::Dict(id) => self.dict(self.run.heap.dict(*id), depth)?,
            other => {
                let message = format!("a value of type {} cannot be JSON", other.type_name());
                return Err(Fault::render(message));
            }
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Dict, depth: usize) -> Outcome<()> {
        let mut entries: Vec<&(Val, Val)> = dict.entries.iter().collect();
        if self.sort_keys {
            self.run.pay(entries.len())?;
            entries.sort_by(|(a, _), (b, _)| {
                a.as_str().unwrap_or_default().cmp(b.as_str().unwrap_or_default())
            });
        }
        self.writer.begin('{')?;
        for (name, value) in entries {
            self.pay_layout(depth)?;
            match name {
                Val::String(name) | Val::Safe(name) => self.writer.name(name)?,
                Val::None => self.writer.name("null")?,
                Val::Bool(true) => self.writer.name("true")?,
                Val::Bool(false) => self.writer.name("false")?,
                Val::Integer(number) => self.writer.name(&number.to_string())?,
                Val::Float(number) => self.writer.name(&number_to_json(*number))?,
                other => {
                    let message = format!("a {} cannot be a key in JSON", other.type_name());
                    return Err(Fault::render(message));
                }
            }
            self.value(value, depth + 1)?;
        }
        self.writer.end('}')?;
        Ok(())
    }

    /// Pays for what stands around an entry.
    fn pay_layout(&self, depth: usize) -> Outcome<()> {
        self.run.pay_read(self.separators + self.indent * (depth + 1))
    }
}

/// A number as Python's `json.dumps` writes it.
fn number_to_json(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let mut json = String::new();
    write_float(number, &mut json);
    json
}
