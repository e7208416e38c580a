//! What values print as: Python's `str` and `repr`.

use std::fmt::Write as _;

use super::run::{MAX_NESTING, Run};
use super::value::{Fault, Outcome, Val};
use prompty_core::text::slice;

impl Run<'_> {
    /// Writes a value to the output.
    pub(super) fn print(&mut self, value: &Val) -> Outcome<()> {
        if let Some(text) = value.as_str() {
            return self.write(text);
        }
        let mut text = String::new();
        self.write_text(value, &mut text)?;
        self.write(&text)
    }

    /// Adds `str(value)` to a text.
    pub(super) fn write_text(&self, value: &Val, out: &mut String) -> Outcome<()> {
        match value {
            Val::Undefined => Ok(()),
            Val::String(text) | Val::Safe(text) => {
                self.room(out, text.len())?;
                out.push_str(text);
                Ok(())
            }
            _ => self.write_repr(value, out, 0),
        }
    }

    /// `str(value)`.
    pub(super) fn text(&self, value: &Val) -> Outcome<String> {
        let mut text = String::new();
        self.write_text(value, &mut text)?;
        Ok(text)
    }

    /// Adds a text to another that is being built.
    pub(super) fn push(&self, out: &mut String, text: &str) -> Outcome<()> {
        self.room(out, text.len())?;
        out.push_str(text);
        Ok(())
    }

    /// Refuses a text that grows beyond what a render may build.
    fn room(&self, out: &str, more: usize) -> Outcome<()> {
        self.pay_read(more)?;
        if out.len().saturating_add(more) > self.limits.max_output.saturating_mul(4) {
            return Err(Fault::limit("the template builds more text than it may"));
        }
        Ok(())
    }

    /// Adds `repr(value)` to a text.
    pub(super) fn write_repr(&self, value: &Val, out: &mut String, depth: usize) -> Outcome<()> {
        if depth > MAX_NESTING {
            return Err(Fault::limit("a value is nested too deep to be printed"));
        }
        self.pay(1)?;
        self.room(out, 0)?;
        match value {
            Val::Undefined => out.push_str("Undefined"),
            Val::None => out.push_str("None"),
            Val::Bool(true) => out.push_str("True"),
            Val::Bool(false) => out.push_str("False"),
            Val::Integer(number) => drop(write!(out, "{number}")),
            Val::Float(number) => write_float(*number, out),
            Val::String(text) | Val::Safe(text) => {
                self.room(out, text.len())?;
                write_quoted(text, out);
            }
            Val::List(id) => {
                out.push('[');
                self.write_items(self.heap.list(*id), out, depth)?;
                out.push(']');
            }
            Val::Tuple(id) => {
                let items = self.heap.list(*id);
                out.push('(');
                self.write_items(items, out, depth)?;
                out.push_str(if items.len() == 1 { ",)" } else { ")" });
            }
            Val::Dict(id) => {
                out.push('{');
                for (index, (name, value)) in self.heap.dict(*id).entries.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write_repr(name, out, depth + 1)?;
                    out.push_str(": ");
                    self.write_repr(value, out, depth + 1)?;
                }
                out.push('}');
            }
            Val::Namespace(_) => out.push_str("<Namespace>"),
            other => drop(write!(out, "<{}>", other.type_name())),
        }
        Ok(())
    }

    fn write_items(&self, items: &[Val], out: &mut String, depth: usize) -> Outcome<()> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write_repr(item, out, depth + 1)?;
        }
        Ok(())
    }
}

/// Adds a float as Python writes it: the shortest digits, with an exponent where the number is very
/// large or very small.
pub(super) fn write_float(number: f64, out: &mut String) {
    if number.is_nan() {
        out.push_str("nan");
        return;
    }
    if number.is_infinite() {
        out.push_str(if number > 0.0 { "inf" } else { "-inf" });
        return;
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let start = out.len();
        let _ = write!(out, "{number}");
        if !slice(out, start..).contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
}

/// Adds a text in quotes, as `repr` writes it.
pub(super) fn write_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if character == quote => {
                out.push('\\');
                out.push(quote);
            }
            _ if is_printable(character) => out.push(character),
            _ => {
                let code = u32::from(character);
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
}

/// Whether Python prints a character as it is; controls, separators and private ones it does not.
fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    !(character.is_control()
        || character.is_whitespace()
        || matches!(
            character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..
        ))
}
