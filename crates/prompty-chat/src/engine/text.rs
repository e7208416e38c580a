//! Texts of a render: what one holds can only be read for its price, and a new one is paid for as it
//! grows.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Meter;
use super::fault::{Fault, Outcome};
use prompty_core::work::add_steps;
use prompty_template::jinja::methods::Side;

/// What a text costs beside its bytes.
const OVERHEAD: usize = 32;
/// The longest text that counts as a name, which may be read at no price.
const LONGEST_NAME: usize = 64;

/// A text.
#[derive(Debug, Clone)]
pub(super) struct Text(Arc<str>);

impl Text {
    /// A text that somebody else keeps: the template, or whoever gave the inputs.
    pub(super) fn shared(text: &Arc<str>) -> Self {
        Self(Arc::clone(text))
    }

    /// A short text of the engine's own.
    pub(super) fn literal(text: &'static str) -> Self {
        Self(text.into())
    }

    /// A text of one character, which is paid for as an item of a text.
    pub(super) fn character(character: char, meter: &Meter) -> Outcome<Self> {
        meter.pay_built(OVERHEAD)?;
        add_steps(character.len_utf8());
        Ok(Self((&*character.encode_utf8(&mut [0; 4])).into()))
    }

    /// A copy of a text.
    pub(super) fn copy(text: &str, meter: &Meter) -> Outcome<Self> {
        meter.pay_built(text.len().saturating_add(OVERHEAD))?;
        add_steps(text.len());
        Ok(Self(text.into()))
    }

    /// A text so many times.
    pub(super) fn repeated(text: &str, count: usize, meter: &Meter) -> Outcome<Self> {
        let length = text.len().saturating_mul(count);
        meter.pay_built(length.saturating_add(OVERHEAD))?;
        add_steps(length);
        Ok(Self(text.repeat(count).into()))
    }

    /// A changed copy of a text that has been read. `change` gives at most three bytes for one: so much
    /// do letters grow in another case.
    pub(super) fn changed(
        text: &str,
        change: impl FnOnce(&str) -> String,
        meter: &Meter,
    ) -> Outcome<Self> {
        meter.pay_built(text.len().saturating_add(OVERHEAD))?;
        let changed = change(text);
        add_steps(text.len() + changed.len());
        meter.pay_built(changed.len().saturating_sub(text.len()))?;
        Ok(Self(changed.into()))
    }

    /// How many bytes it has.
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

    /// The text, for the price of reading it.
    pub(super) fn read(&self, meter: &Meter) -> Outcome<&str> {
        self.read_shared(meter).map(|text| &**text)
    }

    /// The same, to be kept as the key of a map.
    pub(super) fn read_shared(&self, meter: &Meter) -> Outcome<&Arc<str>> {
        meter.pay(self.0.len())?;
        add_steps(self.0.len());
        Ok(&self.0)
    }

    /// The text, if it is as short as names are. That costs nothing.
    pub(super) fn name(&self) -> Option<&str> {
        (self.0.len() <= LONGEST_NAME).then_some(&*self.0)
    }

    /// Whether it is a word of the engine's own. That costs nothing.
    pub(super) fn is(&self, word: &'static str) -> bool {
        &*self.0 == word
    }

    /// The character that starts at a byte.
    pub(super) fn character_at(&self, byte: usize) -> Option<char> {
        self.0.get(byte..)?.chars().next()
    }

    /// The last character.
    pub(super) fn last_character(&self) -> Option<char> {
        self.0.chars().next_back()
    }

    /// Whether two texts are equal. Texts of different lengths are not, which costs nothing.
    pub(super) fn is_equal(&self, other: &str, meter: &Meter) -> Outcome<bool> {
        if self.0.len() != other.len() {
            return Ok(false);
        }
        meter.pay(other.len())?;
        add_steps(other.len());
        Ok(&*self.0 == other)
    }

    /// The same for two texts, of which neither has been read.
    pub(super) fn equals(&self, other: &Self, meter: &Meter) -> Outcome<bool> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ok(true);
        }
        self.is_equal(&other.0, meter)
    }

    /// Which of two texts comes first.
    pub(super) fn order(&self, other: &Self, meter: &Meter) -> Outcome<Ordering> {
        let common = self.0.len().min(other.0.len());
        meter.pay(common)?;
        add_steps(common);
        Ok(self.0.cmp(&other.0))
    }

    /// Whether a text that has been read has this one at its start, or else at its end.
    pub(super) fn is_at(&self, side: Side, text: &str, meter: &Meter) -> Outcome<bool> {
        if self.0.len() > text.len() {
            return Ok(false);
        }
        meter.pay(self.0.len())?;
        add_steps(self.0.len());
        Ok(match side {
            Side::Left => text.starts_with(&*self.0),
            _ => text.ends_with(&*self.0),
        })
    }
}

/// A text that is being built, and paid for as it grows.
#[derive(Debug)]
pub(super) struct Writer {
    meter: Rc<Meter>,
    text: String,
    /// How long it may become.
    most: usize,
    /// Whether it is the output of the render, which is no memory that the template takes.
    is_output: bool,
    /// Why the last piece was not taken.
    fault: Option<Fault>,
}

impl Writer {
    /// A text that a value is made of.
    pub(super) fn new(meter: &Rc<Meter>) -> Self {
        Self::captured(meter, usize::MAX)
    }

    /// What statements write for the template itself, of at most so many bytes.
    pub(super) fn captured(meter: &Rc<Meter>, most: usize) -> Self {
        let (meter, text) = (Rc::clone(meter), String::new());
        Self { meter, text, most, is_output: false, fault: None }
    }

    /// The output of a render, of at most so many bytes.
    pub(super) fn output(meter: &Rc<Meter>, most: usize) -> Self {
        let (meter, text) = (Rc::clone(meter), String::with_capacity(1024));
        Self { meter, text, most, is_output: true, fault: None }
    }

    /// Pays for bytes that are added.
    #[inline]
    fn pay(&self, bytes: usize) -> Outcome<()> {
        if bytes > self.most.saturating_sub(self.text.len()) {
            return Err(Fault::limit("the template writes more text than it may"));
        }
        if self.is_output {
            self.meter.pay(bytes)?;
        } else {
            self.meter.pay_built(bytes)?;
        }
        add_steps(bytes);
        Ok(())
    }

    /// What stands there already.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    #[inline]
    pub(super) fn push(&mut self, text: &str) -> Outcome<()> {
        self.pay(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    #[inline]
    pub(super) fn push_char(&mut self, character: char) -> Outcome<()> {
        self.pay(character.len_utf8())?;
        self.text.push(character);
        Ok(())
    }

    pub(super) fn push_all(&mut self, characters: impl Iterator<Item = char>) -> Outcome<()> {
        for character in characters {
            self.push_char(character)?;
        }
        Ok(())
    }

    /// The same character so many times.
    pub(super) fn push_repeated(&mut self, character: char, count: usize) -> Outcome<()> {
        self.pay(count.saturating_mul(character.len_utf8()))?;
        self.text.extend(std::iter::repeat_n(character, count));
        Ok(())
    }

    /// Lets a function write that knows no budget.
    pub(super) fn format(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> Outcome<()> {
        let written = write(self);
        let fault = self.fault.take();
        written.map_err(|_| fault.unwrap_or_else(|| Fault::limit("the text could not be written")))
    }

    /// The whole text, for a moment only: what stays is a [`Text`].
    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// The text as a value may hold it.
    pub(super) fn finish(self) -> Outcome<Text> {
        self.meter.pay_built(OVERHEAD)?;
        Ok(Text(self.text.into()))
    }
}

/// What a function writes, as a text of the engine's own. Writing to a `String` does not fail.
pub(super) fn string(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

impl fmt::Write for Writer {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.push(piece).map_err(|fault| {
            self.fault = Some(fault);
            fmt::Error
        })
    }
}
