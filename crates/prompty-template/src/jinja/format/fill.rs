//! Puts values into the places of a text. There is one loop for each kind of text, and an engine says by
//! [`Filler`] what its values are and what it costs.

use std::borrow::Cow;

use super::braces::{BracePiece, BracePlace, Conversion, Field, Root, Step, brace_pieces};
use super::number::{Digits, Number};
use super::percent::{PercentPiece, percent_pieces};
use super::spec::{Kind, Padding, Spec, shown};
use super::wrong::Wrong;

/// What a value is, as far as its place asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A text.
    Text,
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`, which is a number where one is asked for.
    Boolean(bool),
    /// Anything else.
    Other,
}

/// An engine that fills texts: its values, what they look like, and the text that it writes and pays for.
pub trait Filler {
    /// A value.
    type Value: Clone;
    /// Why the engine stops.
    type Fault;

    /// The value for a place without a name. `None` if there is none.
    ///
    /// # Errors
    /// If the engine stops.
    fn by_number(&mut self, index: usize) -> Result<Option<Self::Value>, Self::Fault>;

    /// The value for a place with a name. `None` if there is none.
    ///
    /// # Errors
    /// If the engine stops.
    fn by_name(&mut self, name: &str) -> Result<Option<Self::Value>, Self::Fault>;

    /// A part of a value.
    ///
    /// # Errors
    /// If there is none, or the engine stops.
    fn part(&mut self, value: &Self::Value, step: Step<'_>) -> Result<Self::Value, Self::Fault>;

    /// What the value is.
    fn subject(&self, value: &Self::Value) -> Subject;

    /// The value as it prints.
    ///
    /// # Errors
    /// If the engine stops.
    fn text<'v>(&mut self, value: &'v Self::Value) -> Result<Cow<'v, str>, Self::Fault>;

    /// The value as a program writes it.
    ///
    /// # Errors
    /// If the engine stops.
    fn literal<'v>(&mut self, value: &'v Self::Value) -> Result<Cow<'v, str>, Self::Fault>;

    /// A number as it prints.
    fn float(&self, number: f64) -> String;

    /// Pays for looking at a piece of the text.
    ///
    /// # Errors
    /// If the engine stops.
    fn pay_piece(&mut self) -> Result<(), Self::Fault>;

    /// Pays for writing a number of up to so many digits behind those that it has anyway.
    ///
    /// # Errors
    /// If the engine stops.
    fn pay_digits(&mut self, digits: usize) -> Result<(), Self::Fault>;

    /// Learns that of a text only the start is written.
    fn note_part(&mut self, _whole: &str, _part: &str) {}

    /// Writes a text.
    ///
    /// # Errors
    /// If the engine stops.
    fn push(&mut self, text: &str) -> Result<(), Self::Fault>;

    /// Writes a character several times.
    ///
    /// # Errors
    /// If the engine stops.
    fn repeat(&mut self, character: char, times: usize) -> Result<(), Self::Fault>;

    /// What the engine makes of a text that cannot be filled.
    fn refuse(&self, wrong: &Wrong) -> Self::Fault;
}

/// Fills a text such as `'%s of %d'`. Returns how many of the values without a name were used.
///
/// # Errors
/// If the text cannot be filled, or the engine stops.
pub fn fill_percent<F: Filler>(filler: &mut F, text: &str) -> Result<usize, F::Fault> {
    let mut used = 0;
    for piece in percent_pieces(text) {
        filler.pay_piece()?;
        let (name, spec) = match piece {
            PercentPiece::Text(text) => {
                filler.push(text)?;
                continue;
            }
            PercentPiece::Wrong(wrong) => return Err(filler.refuse(&wrong)),
            PercentPiece::Place { name, spec } => (name, spec),
        };
        let value = match name {
            Some(name) => filler
                .by_name(name)?
                .ok_or_else(|| filler.refuse(&Wrong::Missing(format!("%({})", shown(name))))),
            None => {
                used += 1;
                filler.by_number(used - 1)?.ok_or_else(|| filler.refuse(&Wrong::TooFew))
            }
        }?;
        write(filler, &value, &spec)?;
    }
    Ok(used)
}

/// Fills a text such as `'{} {name:>8}'`.
///
/// # Errors
/// If the text cannot be filled, or the engine stops.
pub fn fill_braces<F: Filler>(filler: &mut F, text: &str) -> Result<(), F::Fault> {
    for piece in brace_pieces(text) {
        filler.pay_piece()?;
        match piece {
            BracePiece::Text(text) => filler.push(text)?,
            BracePiece::Wrong(wrong) => return Err(filler.refuse(&wrong)),
            BracePiece::Place(place) => fill_place(filler, &place)?,
        }
    }
    Ok(())
}

fn fill_place<F: Filler>(filler: &mut F, place: &BracePlace<'_>) -> Result<(), F::Fault> {
    let value = value(filler, &place.field)?;
    let mut texts = Vec::new();
    for field in place.form.places() {
        filler.pay_piece()?;
        let value = self::value(filler, field)?;
        texts.push(filler.text(&value)?.into_owned());
    }
    let spec = place.form.spec(&texts).map_err(|wrong| filler.refuse(&wrong))?;
    let text = match place.conversion {
        None => return write(filler, &value, &spec),
        Some(Conversion::Text) => filler.text(&value)?,
        Some(Conversion::Literal) => filler.literal(&value)?,
    };
    write_text(filler, &text, &spec)
}

fn value<F: Filler>(filler: &mut F, field: &Field<'_>) -> Result<F::Value, F::Fault> {
    let found = match field.root {
        Root::Index(index) => filler.by_number(index)?,
        Root::Name(name) => filler.by_name(name)?,
    };
    let missing = || Wrong::Missing(format!("{{{}}}", shown(field.text)));
    let mut value = found.ok_or_else(|| filler.refuse(&missing()))?;
    for step in field.path {
        filler.pay_piece()?;
        let step = step.map_err(|wrong| filler.refuse(&wrong))?;
        value = filler.part(&value, step)?;
    }
    Ok(value)
}

/// Writes a value into its place.
fn write<F: Filler>(filler: &mut F, value: &F::Value, spec: &Spec) -> Result<(), F::Fault> {
    let subject = filler.subject(value);
    let number = match (spec.kind, subject) {
        (Kind::Text, _) => None,
        (Kind::Literal, _) => {
            let text = filler.literal(value)?;
            return write_text(filler, &text, spec);
        }
        (Kind::Character, Subject::Integer(_) | Subject::Boolean(_) | Subject::Text) => {
            return write_character(filler, value, subject, spec);
        }
        (Kind::Character, _) => return Err(filler.refuse(&Wrong::NoCharacter)),
        (Kind::Open, Subject::Boolean(_)) if spec.is_empty() => None,
        (_, Subject::Boolean(is_true)) => Some(Number::Integer(i128::from(is_true))),
        (_, Subject::Integer(number)) => Some(Number::Integer(number)),
        (Kind::Open, Subject::Float(_)) if spec.is_empty() => None,
        (_, Subject::Float(number)) => Some(Number::Float(number)),
        (Kind::Open, _) => None,
        (kind, _) => return Err(filler.refuse(&Wrong::NoNumber(kind.letter()))),
    };
    let Some(number) = number else {
        let text = filler.text(value)?;
        return write_text(filler, &text, spec);
    };
    filler.pay_digits(spec.room())?;
    let digits = spec.digits(number, |number| filler.float(number));
    let Digits { front, text } = digits.map_err(|wrong| filler.refuse(&wrong))?;
    // Each of the characters is one byte.
    let padding = spec.number_padding(front.len() + text.chars().count());
    write_padded(filler, padding, &front, &text)
}

fn write_text<F: Filler>(filler: &mut F, text: &str, spec: &Spec) -> Result<(), F::Fault> {
    if !matches!(spec.kind, Kind::Open | Kind::Text | Kind::Literal) {
        return Err(filler.refuse(&Wrong::NoNumber(spec.kind.letter())));
    }
    spec.check_text().map_err(|wrong| filler.refuse(&wrong))?;
    let kept = spec.cut(text);
    if let Some(kept) = kept {
        filler.note_part(text, kept);
    }
    let text = kept.unwrap_or(text);
    let padding = spec.text_padding(text.chars().count());
    write_padded(filler, padding, "", text)
}

/// `%c` and `{:c}`: a character, or the number of one.
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
    let character = character.ok_or_else(|| filler.refuse(&Wrong::NoCharacter))?;
    spec.check_character().map_err(|wrong| filler.refuse(&wrong))?;
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
    filler.repeat(padding.fill, padding.behind)
}
