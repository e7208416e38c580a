//! Parses strings for the method `format`: `'{} {user.name!r:>{width}}'`.

use super::error::FormatError;
use super::spec::{Spec, brace_spec, shortened};

/// A piece of a string for `format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BracePiece<'t> {
    /// Literal text.
    Text(&'t str),
    /// A placeholder for a value.
    Place(BracePlace<'t>),
    /// A syntax error. Nothing follows it.
    Error(FormatError),
}

/// A placeholder between braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BracePlace<'t> {
    /// The value.
    pub field: Field<'t>,
    /// The conversion of the value to a string before it is formatted.
    pub conversion: Option<Conversion>,
    /// The format specification.
    pub spec: SpecSource<'t>,
}

/// The conversion of a value to a string before it is formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// `!s`: the value as it prints.
    Text,
    /// `!r` and `!a`: the value as a Python literal.
    Literal,
}

/// The field name of a placeholder: `user.name[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'t> {
    /// The complete source.
    pub text: &'t str,
    /// The argument.
    pub root: FieldRoot<'t>,
    /// The attributes and indices that lead from the argument to the value.
    pub path: FieldPath<'t>,
}

/// The argument that a field name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRoot<'t> {
    /// A positional argument.
    Index(usize),
    /// A named argument.
    Name(&'t str),
}

/// The steps from an argument to a part of it: `.name[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPath<'t>(&'t str);

/// A step from a value to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'t> {
    /// An attribute.
    Attribute(&'t str),
    /// An item by its index.
    Index(i128),
    /// An item by its key.
    Key(&'t str),
}

impl<'t> Iterator for FieldPath<'t> {
    type Item = Result<Step<'t>, FormatError>;

    fn next(&mut self) -> Option<Result<Step<'t>, FormatError>> {
        if self.0.is_empty() {
            return None;
        }
        let (step, rest) = match parse_step(self.0) {
            Some((step, rest)) => (Ok(step), rest),
            None => (Err(FormatError::InvalidPath), ""),
        };
        self.0 = rest;
        Some(step)
    }
}

/// Parses the step at the start of a path: `.name` or `[0]`. Returns it with the remaining path.
fn parse_step(path: &str) -> Option<(Step<'_>, &str)> {
    if let Some(after_dot) = path.strip_prefix('.') {
        let end = after_dot.find(['.', '[']).unwrap_or(after_dot.len());
        let (name, rest) = after_dot.split_at_checked(end)?;
        return (!name.is_empty()).then_some((Step::Attribute(name), rest));
    }
    let (key, rest) = path.strip_prefix('[')?.split_once(']')?;
    if key.is_empty() {
        return None;
    }
    let is_number = key.bytes().all(|digit| digit.is_ascii_digit());
    let step = match key.parse() {
        Ok(number) if is_number => Step::Index(number),
        _ => Step::Key(key),
    };
    Some((step, rest))
}

/// The source of a format specification, after the `:` of a placeholder. It may contain
/// placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecSource<'t> {
    pieces: Vec<SpecPiece<'t>>,
}

/// A piece of a format specification.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SpecPiece<'t> {
    Text(&'t str),
    Place(Field<'t>),
}

impl<'t> SpecSource<'t> {
    /// Returns the placeholders in it, in order.
    pub fn places(&self) -> impl Iterator<Item = &Field<'t>> {
        self.pieces.iter().filter_map(|piece| match piece {
            SpecPiece::Text(_) => None,
            SpecPiece::Place(field) => Some(field),
        })
    }

    /// Parses the specification. `texts` are the values of its placeholders: `["8"]` for
    /// `>{width}`.
    ///
    /// # Errors
    /// Returns an error if the specification is invalid.
    pub fn parse(&self, texts: &[String]) -> Result<Spec, FormatError> {
        let mut texts = texts.iter();
        let mut source = String::new();
        for piece in &self.pieces {
            match piece {
                SpecPiece::Text(text) => source.push_str(text),
                SpecPiece::Place(_) => source.extend(texts.next().map(String::as_str)),
            }
        }
        brace_spec(&source)
    }
}

/// The numbering of positional placeholders.
#[derive(Debug, Clone, Copy)]
enum Numbering {
    Unknown,
    /// `{}`, with the next number.
    Automatic(usize),
    /// `{0}`
    Explicit,
}

/// Splits a string for `format` into pieces.
pub fn brace_pieces(text: &str) -> impl Iterator<Item = BracePiece<'_>> {
    let mut rest = text;
    let mut numbering = Numbering::Unknown;
    std::iter::from_fn(move || {
        let at = rest.find(['{', '}']).unwrap_or(rest.len());
        if at > 0 {
            let (text, after) = rest.split_at_checked(at)?;
            rest = after;
            return Some(BracePiece::Text(text));
        }
        for (doubled, brace) in [("{{", "{"), ("}}", "}")] {
            if let Some(after) = rest.strip_prefix(doubled) {
                rest = after;
                return Some(BracePiece::Text(brace));
            }
        }
        if rest.is_empty() {
            return None;
        }
        Some(match parse_place(rest, &mut numbering) {
            Ok((place, after)) => {
                rest = after;
                BracePiece::Place(place)
            }
            Err(error) => {
                rest = "";
                BracePiece::Error(error)
            }
        })
    })
}

/// Parses the placeholder at the start of a text. Returns it with the remaining text.
fn parse_place<'t>(
    text: &'t str,
    numbering: &mut Numbering,
) -> Result<(BracePlace<'t>, &'t str), FormatError> {
    let inside = text.strip_prefix('{').ok_or(FormatError::UnmatchedBrace)?;
    let (name, rest) = split_field(inside).ok_or(FormatError::UnmatchedBrace)?;
    if rest.starts_with('{') {
        return Err(FormatError::UnmatchedBrace);
    }
    let field = parse_field(name, numbering)?;
    let (conversion, rest) = parse_conversion(rest)?;
    let (spec, rest) = match rest.strip_prefix(':') {
        Some(after_colon) => parse_spec_source(after_colon, numbering)?,
        None => {
            let after = rest.strip_prefix('}').ok_or(FormatError::UnmatchedBrace)?;
            (SpecSource { pieces: Vec::new() }, after)
        }
    };
    Ok((BracePlace { field, conversion, spec }, rest))
}

/// Splits a text at the end of its field name. Brackets may contain any characters.
fn split_field(text: &str) -> Option<(&str, &str)> {
    let mut in_bracket = false;
    text.char_indices().find_map(|(at, found)| {
        match (in_bracket, found) {
            (true, ']') => in_bracket = false,
            (false, '[') => in_bracket = true,
            (false, '{' | '}' | ':' | '!') => return text.split_at_checked(at),
            _ => {}
        }
        None
    })
}

/// Parses a field name such as `user.name[0]`. Without a name, it gets the next number.
fn parse_field<'t>(text: &'t str, numbering: &mut Numbering) -> Result<Field<'t>, FormatError> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, path) = text.split_at_checked(end).unwrap_or((text, ""));
    let is_number = name.bytes().all(|digit| digit.is_ascii_digit());
    let root = match (name, *numbering) {
        ("", Numbering::Explicit) => return Err(FormatError::MixedNumbers),
        ("", Numbering::Unknown) => {
            *numbering = Numbering::Automatic(1);
            FieldRoot::Index(0)
        }
        ("", Numbering::Automatic(next)) => {
            *numbering = Numbering::Automatic(next + 1);
            FieldRoot::Index(next)
        }
        (_, Numbering::Automatic(_)) if is_number => return Err(FormatError::MixedNumbers),
        _ if is_number => {
            *numbering = Numbering::Explicit;
            FieldRoot::Index(name.parse().map_err(|_| FormatError::MissingValue(shortened(name)))?)
        }
        _ => FieldRoot::Name(name),
    };
    Ok(Field { text, root, path: FieldPath(path) })
}

/// Parses an optional conversion such as `!r`. Returns it with the remaining text.
fn parse_conversion(text: &str) -> Result<(Option<Conversion>, &str), FormatError> {
    let Some(after) = text.strip_prefix('!') else { return Ok((None, text)) };
    let end = after.find([':', '}']).ok_or(FormatError::UnmatchedBrace)?;
    let (letters, rest) = after.split_at_checked(end).ok_or(FormatError::UnmatchedBrace)?;
    match letters {
        "s" => Ok((Some(Conversion::Text), rest)),
        "r" | "a" => Ok((Some(Conversion::Literal), rest)),
        other => Err(FormatError::UnknownConversion(shortened(other))),
    }
}

/// Parses the specification after the `:` of a placeholder. Returns it with the text after the `}`.
fn parse_spec_source<'t>(
    text: &'t str,
    numbering: &mut Numbering,
) -> Result<(SpecSource<'t>, &'t str), FormatError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let at = rest.find(['{', '}']).ok_or(FormatError::UnmatchedBrace)?;
        let (text, brace) = rest.split_at_checked(at).ok_or(FormatError::UnmatchedBrace)?;
        if !text.is_empty() {
            pieces.push(SpecPiece::Text(text));
        }
        if let Some(after) = brace.strip_prefix('}') {
            return Ok((SpecSource { pieces }, after));
        }
        let inside = brace.strip_prefix('{').ok_or(FormatError::UnmatchedBrace)?;
        let (name, brace) = split_field(inside).ok_or(FormatError::UnmatchedBrace)?;
        rest = brace.strip_prefix('}').ok_or(FormatError::TooDeep)?;
        pieces.push(SpecPiece::Place(parse_field(name, numbering)?));
    }
}
