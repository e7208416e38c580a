//! Fills format strings with values. There is one loop for each kind of string. An engine
//! implements [`Filler`] to provide its values and to limit the work.

use std::borrow::Cow;

use super::braces::{BracePiece, BracePlace, Conversion, Field, FieldRoot, Step, brace_pieces};
use super::error::FormatError;
use super::number::{Digits, Number};
use super::percent::{PercentPiece, percent_pieces};
use super::spec::{Padding, Spec, ValueKind, shortened};

/// The type of a value, as far as it matters for formatting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A string.
    Text,
    /// An integer.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`, which is formatted as a number if the placeholder requires one.
    Boolean(bool),
    /// Anything else.
    Other,
}

/// An engine that fills format strings. It provides the values, and counts the work.
pub trait Filler {
    /// A value.
    type Value: Clone;
    /// The engine's error.
    type Fault;

    /// Returns a positional argument, or `None` if it is missing.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn by_number(&mut self, index: usize) -> Result<Option<Self::Value>, Self::Fault>;

    /// Returns a named argument, or `None` if it is missing.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn by_name(&mut self, name: &str) -> Result<Option<Self::Value>, Self::Fault>;

    /// Returns a part of a value.
    ///
    /// # Errors
    /// Returns an error if the part does not exist, or the engine stops.
    fn part(&mut self, value: &Self::Value, step: Step<'_>) -> Result<Self::Value, Self::Fault>;

    /// Returns the type of a value.
    fn subject(&self, value: &Self::Value) -> Subject;

    /// Returns the value as it prints.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn text<'v>(&mut self, value: &'v Self::Value) -> Result<Cow<'v, str>, Self::Fault>;

    /// Returns the value as a Python literal.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn literal<'v>(&mut self, value: &'v Self::Value) -> Result<Cow<'v, str>, Self::Fault>;

    /// Returns a number as it prints.
    fn float(&self, number: f64) -> String;

    /// Counts the work for a piece of the string.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn pay_piece(&mut self) -> Result<(), Self::Fault>;

    /// Counts the work for writing a number with up to `digits` additional digits.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn pay_digits(&mut self, digits: usize) -> Result<(), Self::Fault>;

    /// Notes that only the beginning of a value's text is written.
    fn note_part(&mut self, _text: &str, _part: &str) {}

    /// Writes a text.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn push(&mut self, text: &str) -> Result<(), Self::Fault>;

    /// Writes a character several times.
    ///
    /// # Errors
    /// Returns an error if the engine stops.
    fn repeat(&mut self, character: char, times: usize) -> Result<(), Self::Fault>;

    /// Converts a format error into the engine's error.
    fn refuse(&self, error: &FormatError) -> Self::Fault;
}

/// Fills a string such as `'%s of %d'`. Returns the number of positional arguments that were used.
///
/// # Errors
/// Returns an error if the string cannot be filled, or the engine stops.
pub fn fill_percent<F: Filler>(filler: &mut F, text: &str) -> Result<usize, F::Fault> {
    let mut used = 0;
    for piece in percent_pieces(text) {
        filler.pay_piece()?;
        let (name, spec) = match piece {
            PercentPiece::Text(text) => {
                filler.push(text)?;
                continue;
            }
            PercentPiece::Error(error) => return Err(filler.refuse(&error)),
            PercentPiece::Place { name, spec } => (name, spec),
        };
        let value = match name {
            Some(name) => filler.by_name(name)?.ok_or_else(|| {
                filler.refuse(&FormatError::MissingValue(format!("%({})", shortened(name))))
            }),
            None => {
                used += 1;
                filler.by_number(used - 1)?.ok_or_else(|| filler.refuse(&FormatError::TooFew))
            }
        }?;
        write_value(filler, &value, &spec)?;
    }
    Ok(used)
}

/// Fills a string such as `'{} {name:>8}'`.
///
/// # Errors
/// Returns an error if the string cannot be filled, or the engine stops.
pub fn fill_braces<F: Filler>(filler: &mut F, text: &str) -> Result<(), F::Fault> {
    for piece in brace_pieces(text) {
        filler.pay_piece()?;
        match piece {
            BracePiece::Text(text) => filler.push(text)?,
            BracePiece::Error(error) => return Err(filler.refuse(&error)),
            BracePiece::Place(place) => fill_place(filler, &place)?,
        }
    }
    Ok(())
}

/// Writes the value of a placeholder such as `{name!r:>{width}}`. Its specification may itself
/// contain placeholders, which are filled first.
fn fill_place<F: Filler>(filler: &mut F, place: &BracePlace<'_>) -> Result<(), F::Fault> {
    let value = find_value(filler, &place.field)?;
    let mut texts = Vec::new();
    for field in place.spec.places() {
        filler.pay_piece()?;
        let option = find_value(filler, field)?;
        texts.push(filler.text(&option)?.into_owned());
    }
    let spec = place.spec.parse(&texts).map_err(|error| filler.refuse(&error))?;
    let text = match place.conversion {
        None => return write_value(filler, &value, &spec),
        Some(Conversion::Text) => filler.text(&value)?,
        Some(Conversion::Literal) => filler.literal(&value)?,
    };
    write_text(filler, &text, &spec)
}

/// Returns the value that a field name such as `user.name[0]` refers to.
fn find_value<F: Filler>(filler: &mut F, field: &Field<'_>) -> Result<F::Value, F::Fault> {
    let found = match field.root {
        FieldRoot::Index(index) => filler.by_number(index)?,
        FieldRoot::Name(name) => filler.by_name(name)?,
    };
    let missing = || FormatError::MissingValue(format!("{{{}}}", shortened(field.text)));
    let mut value = found.ok_or_else(|| filler.refuse(&missing()))?;
    for step in field.path {
        filler.pay_piece()?;
        let step = step.map_err(|error| filler.refuse(&error))?;
        value = filler.part(&value, step)?;
    }
    Ok(value)
}

/// Writes a value in place of its placeholder. Numbers are formatted, and other values, as well as
/// those without any option, are written as they print.
fn write_value<F: Filler>(filler: &mut F, value: &F::Value, spec: &Spec) -> Result<(), F::Fault> {
    let subject = filler.subject(value);
    // The number to format, or `None` for a value that is written as it prints.
    let number = match (spec.kind, subject) {
        (ValueKind::Text, _) => None,
        (ValueKind::Literal, _) => {
            let text = filler.literal(value)?;
            return write_text(filler, &text, spec);
        }
        (ValueKind::Character, Subject::Integer(_) | Subject::Boolean(_) | Subject::Text) => {
            return write_character(filler, value, subject, spec);
        }
        (ValueKind::Character, _) => return Err(filler.refuse(&FormatError::NotCharacter)),
        (ValueKind::Unspecified, Subject::Boolean(_)) if spec.is_empty() => None,
        (_, Subject::Boolean(is_true)) => Some(Number::Integer(i128::from(is_true))),
        (_, Subject::Integer(number)) => Some(Number::Integer(number)),
        (ValueKind::Unspecified, Subject::Float(_)) if spec.is_empty() => None,
        (_, Subject::Float(number)) => Some(Number::Float(number)),
        (ValueKind::Unspecified, _) => None,
        _ => return Err(filler.refuse(&FormatError::NotNumber(spec.letter))),
    };
    let Some(number) = number else {
        let text = filler.text(value)?;
        return write_text(filler, &text, spec);
    };
    filler.pay_digits(spec.max_extra_length())?;
    let digits = spec.digits(number, |number| filler.float(number));
    let Digits { front, text } = digits.map_err(|error| filler.refuse(&error))?;
    // `front` has only ASCII characters, so its length in bytes is its length in characters.
    let padding = spec.number_padding(front.len() + text.chars().count());
    write_padded(filler, padding, &front, &text)
}

fn write_text<F: Filler>(filler: &mut F, text: &str, spec: &Spec) -> Result<(), F::Fault> {
    if !matches!(spec.kind, ValueKind::Unspecified | ValueKind::Text | ValueKind::Literal) {
        return Err(filler.refuse(&FormatError::NotNumber(spec.letter)));
    }
    spec.check_text().map_err(|error| filler.refuse(&error))?;
    let kept = spec.truncate(text);
    if let Some(kept) = kept {
        filler.note_part(text, kept);
    }
    let text = kept.unwrap_or(text);
    let padding = spec.text_padding(text.chars().count());
    write_padded(filler, padding, "", text)
}

/// Writes a value for `%c` or `{:c}`: a character, or the number of a character.
fn write_character<F: Filler>(
    filler: &mut F,
    value: &F::Value,
    subject: Subject,
    spec: &Spec,
) -> Result<(), F::Fault> {
    let character = match subject {
        Subject::Text if spec.is_percent() => {
            let text = filler.text(value)?;
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        }
        Subject::Integer(number) => u32::try_from(number).ok().and_then(char::from_u32),
        Subject::Boolean(is_true) => char::from_u32(u32::from(is_true)),
        _ => None,
    };
    let character = character.ok_or_else(|| filler.refuse(&FormatError::NotCharacter))?;
    spec.check_character().map_err(|error| filler.refuse(&error))?;
    let padding = spec.character_padding();
    write_padded(filler, padding, "", character.encode_utf8(&mut [0; 4]))
}

fn write_padded<F: Filler>(
    filler: &mut F,
    padding: Padding,
    front: &str,
    text: &str,
) -> Result<(), F::Fault> {
    filler.repeat(padding.fill, padding.before)?;
    filler.push(front)?;
    filler.repeat(padding.fill, padding.between)?;
    filler.push(text)?;
    filler.repeat(padding.fill, padding.after)
}
