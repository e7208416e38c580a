//! Prints values like Python's `str` and `repr`.

use std::borrow::Cow;
use std::fmt;

use super::run::Run;
use super::text::TextWriter;
use super::value::{Outcome, Val};

impl Run<'_> {
    /// Writes a value to the output.
    pub(super) fn print(&mut self, value: &Val) -> Outcome<()> {
        if let Some(text) = value.as_text() {
            return self.out.push(text.read(&self.meter)?);
        }
        // The writer is taken out of `self`, because printing borrows `self`.
        let mut out = std::mem::replace(&mut self.out, TextWriter::new(&self.meter));
        self.write_text(value, &mut out)?;
        self.out = out;
        Ok(())
    }

    /// Appends `str(value)` to a text.
    pub(super) fn write_text(&self, value: &Val, out: &mut TextWriter) -> Outcome<()> {
        match value {
            Val::Undefined => Ok(()),
            Val::String(text) | Val::Safe(text) => out.push(text.read(&self.meter)?),
            _ => self.write_repr(value, out, 0),
        }
    }

    /// `str(value)`, borrowed if possible.
    pub(super) fn text<'v>(&self, value: &'v Val) -> Outcome<Cow<'v, str>> {
        match value.as_text() {
            Some(text) => Ok(Cow::Borrowed(text.read(&self.meter)?)),
            None => {
                let mut text = self.writer();
                self.write_text(value, &mut text)?;
                Ok(Cow::Owned(text.into_string()))
            }
        }
    }

    /// Appends `repr(value)` to a text. `depth` is the number of lists and maps around the value.
    pub(super) fn write_repr(
        &self,
        value: &Val,
        out: &mut TextWriter,
        depth: usize,
    ) -> Outcome<()> {
        self.pay_nested_value(depth, "the printed value is")?;
        match value {
            Val::Undefined => out.push("Undefined"),
            Val::None => out.push("None"),
            Val::Bool(true) => out.push("True"),
            Val::Bool(false) => out.push("False"),
            Val::Integer(number) => {
                out.format(|out| fmt::Write::write_fmt(out, format_args!("{number}")))
            }
            Val::Float(number) => out.format(|out| write_float(*number, out)),
            Val::String(text) | Val::Safe(text) => {
                let text = text.read(&self.meter)?;
                out.format(|out| write_quoted(text, out))
            }
            Val::List(id) => {
                out.push("[")?;
                self.write_items(*id, out, depth)?;
                out.push("]")
            }
            Val::Tuple(id) => {
                out.push("(")?;
                self.write_items(*id, out, depth)?;
                out.push(if self.heap.list(*id).len() == 1 { ",)" } else { ")" })
            }
            Val::Dict(id) => {
                out.push("{")?;
                for (index, entry) in self.heap.dict(*id).iter_paid(&self.meter).enumerate() {
                    let (name, value) = entry?;
                    if index > 0 {
                        out.push(", ")?;
                    }
                    self.write_repr(name, out, depth + 1)?;
                    out.push(": ")?;
                    self.write_repr(value, out, depth + 1)?;
                }
                out.push("}")
            }
            Val::Namespace(_) => out.push("<Namespace>"),
            other => {
                out.push("<")?;
                out.push(other.type_name())?;
                out.push(">")
            }
        }
    }

    fn write_items(&self, list: u32, out: &mut TextWriter, depth: usize) -> Outcome<()> {
        for (index, item) in self.heap.list(list).iter_paid(&self.meter).enumerate() {
            if index > 0 {
                out.push(", ")?;
            }
            self.write_repr(item?, out, depth + 1)?;
        }
        Ok(())
    }
}

/// Writes a float like Python: the shortest digits, with an exponent from `1e16` on and below
/// `0.0001`.
pub(super) fn write_float(number: f64, out: &mut impl fmt::Write) -> fmt::Result {
    if number.is_nan() {
        return out.write_str("nan");
    }
    if number.is_infinite() {
        return out.write_str(if number > 0.0 { "inf" } else { "-inf" });
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = number.to_string();
        out.write_str(&plain)?;
        return if plain.contains('.') { Ok(()) } else { out.write_str(".0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.abs())
}

/// Writes a string in quotes, like `repr`.
pub(super) fn write_quoted(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.write_char(quote)?;
    let is_special = |it: char| it == '\\' || it == quote || !is_printable(it);
    for piece in text.split_inclusive(is_special) {
        let mut plain = piece.chars();
        let Some(character) = plain.next_back().filter(|it| is_special(*it)) else {
            out.write_str(piece)?;
            break;
        };
        out.write_str(plain.as_str())?;
        match character {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\\' => out.write_str("\\\\")?,
            _ if character == quote => {
                out.write_char('\\')?;
                out.write_char(quote)?;
            }
            _ => match u32::from(character) {
                code @ 0..=0xff => write!(out, "\\x{code:02x}")?,
                code @ 0x100..=0xffff => write!(out, "\\u{code:04x}")?,
                code => write!(out, "\\U{code:08x}")?,
            },
        }
    }
    out.write_char(quote)
}

/// Whether Python prints a character unescaped. Control characters, separators and private
/// characters are escaped.
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
