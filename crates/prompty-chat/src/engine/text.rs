//! Strings of a render. Reading one is paid for, and building one is paid for while it grows.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Meter;
use super::fault::{Fault, FaultResult, RAISE_LIMITS, shorten};
use prompty_core::work::add_steps;
use prompty_template::jinja::methods::Side;

/// The memory of a string in addition to its text, in bytes.
const OVERHEAD_BYTES: usize = 32;
/// The maximum length of a name, in bytes. Names are short, so reading one is free.
const LONGEST_NAME: usize = 64;
/// The capacity for the output of a render at its start, in bytes.
const OUTPUT_CAPACITY: usize = 1024;

/// A string.
#[derive(Debug, Clone)]
pub(super) struct Text(Arc<str>);

impl Text {
    /// A string that is owned elsewhere: by the template or its inputs.
    pub(super) fn shared(text: &Arc<str>) -> Self {
        Self(Arc::clone(text))
    }

    /// A short string of the engine.
    pub(super) fn literal(text: &'static str) -> Self {
        Self(text.into())
    }

    /// A string of one character. It is paid for like an item of a string.
    pub(super) fn character(character: char, meter: &Meter) -> FaultResult<Self> {
        meter.pay_memory(OVERHEAD_BYTES)?;
        add_steps(character.len_utf8());
        Ok(Self((&*character.encode_utf8(&mut [0; 4])).into()))
    }

    /// A copy of a string.
    pub(super) fn copy(text: &str, meter: &Meter) -> FaultResult<Self> {
        meter.pay_memory(text.len().saturating_add(OVERHEAD_BYTES))?;
        add_steps(text.len());
        Ok(Self(text.into()))
    }

    /// A string that repeats `text`.
    pub(super) fn repeated(text: &str, count: usize, meter: &Meter) -> FaultResult<Self> {
        let length = text.len().saturating_mul(count);
        meter.pay_memory(length.saturating_add(OVERHEAD_BYTES))?;
        add_steps(length);
        Ok(Self(text.repeat(count).into()))
    }

    /// A changed copy of a string that was already read. `change` may return at most three bytes
    /// for each byte, which is the most that a change of case needs.
    pub(super) fn changed(
        text: &str,
        change: impl FnOnce(&str) -> String,
        meter: &Meter,
    ) -> FaultResult<Self> {
        meter.pay_memory(text.len().saturating_add(OVERHEAD_BYTES))?;
        let changed = change(text);
        add_steps(text.len() + changed.len());
        meter.pay_memory(changed.len().saturating_sub(text.len()))?;
        Ok(Self(changed.into()))
    }

    /// The length in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has more than one character.
    pub(super) fn has_several(&self) -> bool {
        self.0.chars().nth(1).is_some()
    }

    /// The string. Reading it is paid for.
    pub(super) fn read(&self, meter: &Meter) -> FaultResult<&str> {
        self.read_shared(meter).map(|text| &**text)
    }

    /// Like [`read`](Self::read), for use as a key of a map.
    pub(super) fn read_shared(&self, meter: &Meter) -> FaultResult<&Arc<str>> {
        meter.pay_units(self.0.len())?;
        add_steps(self.0.len());
        Ok(&self.0)
    }

    /// The string, if it is short enough to be a name. That is free.
    pub(super) fn name(&self) -> Option<&str> {
        (self.0.len() <= LONGEST_NAME).then_some(&*self.0)
    }

    /// The string for an error message, which is free: only its start, if it is long.
    pub(super) fn shortened(&self) -> Cow<'_, str> {
        shorten(&self.0)
    }

    /// Whether the string is a word that the engine knows. That is free.
    pub(super) fn is(&self, word: &'static str) -> bool {
        &*self.0 == word
    }

    /// The character at a byte position.
    pub(super) fn character_at(&self, byte: usize) -> Option<char> {
        self.0.get(byte..)?.chars().next()
    }

    /// The last character.
    pub(super) fn last_character(&self) -> Option<char> {
        self.0.chars().next_back()
    }

    /// Whether two strings are equal. If their lengths differ, the comparison is free.
    pub(super) fn is_equal(&self, other: &str, meter: &Meter) -> FaultResult<bool> {
        if self.0.len() != other.len() {
            return Ok(false);
        }
        meter.pay_units(other.len())?;
        add_steps(other.len());
        Ok(&*self.0 == other)
    }

    /// Like [`is_equal`](Self::is_equal), for two strings that were not read yet.
    pub(super) fn equals(&self, other: &Self, meter: &Meter) -> FaultResult<bool> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ok(true);
        }
        self.is_equal(&other.0, meter)
    }

    /// The order of two strings that were not read yet.
    pub(super) fn order(&self, other: &Self, meter: &Meter) -> FaultResult<Ordering> {
        let common = self.0.len().min(other.0.len());
        meter.pay_units(common)?;
        add_steps(common);
        Ok(self.0.cmp(&other.0))
    }

    /// Whether this string is at the start (`Left`) or the end of one that was already read.
    pub(super) fn is_at(&self, side: Side, text: &str, meter: &Meter) -> FaultResult<bool> {
        if self.0.len() > text.len() {
            return Ok(false);
        }
        meter.pay_units(self.0.len())?;
        add_steps(self.0.len());
        Ok(match side {
            Side::Left => text.starts_with(&*self.0),
            _ => text.ends_with(&*self.0),
        })
    }
}

/// A string that is being built. It is paid for while it grows.
#[derive(Debug)]
pub(super) struct TextWriter {
    meter: Rc<Meter>,
    text: String,
    /// The maximum length in bytes.
    max_length: usize,
    /// Whether it is the output of the render. The output does not count as memory of the template.
    is_output: bool,
    /// The error of the last piece that could not be added. `fmt::Error` cannot contain it.
    fault: Option<Fault>,
}

impl TextWriter {
    /// Creates a writer for a value.
    pub(super) fn new(meter: &Rc<Meter>) -> Self {
        Self::capture(meter, usize::MAX)
    }

    /// Creates a writer for captured output, of at most `max_length` bytes.
    pub(super) fn capture(meter: &Rc<Meter>, max_length: usize) -> Self {
        let (meter, text) = (Rc::clone(meter), String::new());
        Self { meter, text, max_length, is_output: false, fault: None }
    }

    /// Creates a writer for the output of a render, of at most `max_length` bytes.
    pub(super) fn output(meter: &Rc<Meter>, max_length: usize) -> Self {
        let (meter, text) = (Rc::clone(meter), String::with_capacity(OUTPUT_CAPACITY));
        Self { meter, text, max_length, is_output: true, fault: None }
    }

    /// Pays for bytes before they are added.
    #[inline]
    fn pay(&self, bytes: usize) -> FaultResult<()> {
        if bytes > self.max_length.saturating_sub(self.text.len()) {
            let message = format!("the template writes more than {} bytes", self.max_length);
            return Err(Fault::limit(message).with_help(RAISE_LIMITS));
        }
        if self.is_output {
            self.meter.pay_units(bytes)?;
        } else {
            self.meter.pay_memory(bytes)?;
        }
        add_steps(bytes);
        Ok(())
    }

    /// The text so far.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    #[inline]
    pub(super) fn push(&mut self, text: &str) -> FaultResult<()> {
        self.pay(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    #[inline]
    pub(super) fn push_char(&mut self, character: char) -> FaultResult<()> {
        self.pay(character.len_utf8())?;
        self.text.push(character);
        Ok(())
    }

    pub(super) fn push_all(&mut self, characters: impl Iterator<Item = char>) -> FaultResult<()> {
        for character in characters {
            self.push_char(character)?;
        }
        Ok(())
    }

    /// Appends the same character `count` times.
    pub(super) fn push_repeated(&mut self, character: char, count: usize) -> FaultResult<()> {
        self.pay(count.saturating_mul(character.len_utf8()))?;
        self.text.extend(std::iter::repeat_n(character, count));
        Ok(())
    }

    /// Lets a function write that does not know the budget.
    pub(super) fn format(
        &mut self,
        write: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> FaultResult<()> {
        let written = write(self);
        let fault = self.fault.take();
        let unwritten = || Fault::limit("a value could not be formatted as text");
        written.map_err(|_| fault.unwrap_or_else(unwritten))
    }

    /// The text for temporary use. Text that is kept must be a [`Text`].
    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// The text as part of a value.
    pub(super) fn finish(self) -> FaultResult<Text> {
        self.meter.pay_memory(OVERHEAD_BYTES)?;
        Ok(Text(self.text.into()))
    }
}

/// The output of `write` as a `String`, without payment. Writing to a `String` does not fail.
pub(super) fn string(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

impl fmt::Write for TextWriter {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.push(piece).map_err(|fault| {
            self.fault = Some(fault);
            fmt::Error
        })
    }
}
