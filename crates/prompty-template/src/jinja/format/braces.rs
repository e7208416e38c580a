//! The pieces of a text for `format`: `'{} {user.name!r:>{width}}'`.

use super::spec::{Spec, brace_spec, shown};
use super::wrong::Wrong;

/// A piece of a text for `format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BracePiece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// A place for a value.
    Place(BracePlace<'t>),
    /// What is no place. Nothing follows it.
    Wrong(Wrong),
}

/// A place for a value between braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BracePlace<'t> {
    /// The value.
    pub field: Field<'t>,
    /// Whether a text is made of the value first.
    pub conversion: Option<Conversion>,
    /// How the value is written.
    pub form: Form<'t>,
}

/// What is made of a value before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// `!s`: its text.
    Text,
    /// `!r` and `!a`: the value as a program writes it.
    Literal,
}

/// What names a value: `user.name[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'t> {
    /// All of it, as the text has it.
    pub text: &'t str,
    /// Which of the given values it is.
    pub root: Root<'t>,
    /// The attributes and items of it that lead to what is written.
    pub path: Path<'t>,
}

/// Which of the values stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root<'t> {
    /// By its number.
    Index(usize),
    /// By its name.
    Name(&'t str),
}

/// The steps from a value to a part of it: `.name[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path<'t>(&'t str);

/// A step from a value to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'t> {
    /// An attribute.
    Attribute(&'t str),
    /// An item by its number.
    Index(i128),
    /// An item by its name.
    Key(&'t str),
}

impl<'t> Iterator for Path<'t> {
    type Item = Result<Step<'t>, Wrong>;

    fn next(&mut self) -> Option<Result<Step<'t>, Wrong>> {
        if self.0.is_empty() {
            return None;
        }
        let (step, rest) = match step(self.0) {
            Some((step, rest)) => (Ok(step), rest),
            None => (Err(Wrong::Path), ""),
        };
        self.0 = rest;
        Some(step)
    }
}

fn step(path: &str) -> Option<(Step<'_>, &str)> {
    if let Some(behind) = path.strip_prefix('.') {
        let end = behind.find(['.', '[']).unwrap_or(behind.len());
        let (name, rest) = behind.split_at_checked(end)?;
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

/// What stands behind the `:` of a place. Places in it are filled before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form<'t> {
    pieces: Vec<FormPiece<'t>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FormPiece<'t> {
    Text(&'t str),
    Place(Field<'t>),
}

impl<'t> Form<'t> {
    /// The places in it, in their order.
    pub fn places(&self) -> impl Iterator<Item = &Field<'t>> {
        self.pieces.iter().filter_map(|piece| match piece {
            FormPiece::Text(_) => None,
            FormPiece::Place(field) => Some(field),
        })
    }

    /// How the value is written, where `texts` are what stands in the places.
    ///
    /// # Errors
    /// If it does not say how a value is written.
    pub fn spec(&self, texts: &[String]) -> Result<Spec, Wrong> {
        let mut texts = texts.iter();
        let mut whole = String::new();
        for piece in &self.pieces {
            match piece {
                FormPiece::Text(text) => whole.push_str(text),
                FormPiece::Place(_) => whole.extend(texts.next().map(String::as_str)),
            }
        }
        brace_spec(&whole)
    }
}

/// How the places without a name are counted.
#[derive(Debug, Clone, Copy)]
enum Numbering {
    Unknown,
    /// `{}`, so many so far.
    Counted(usize),
    /// `{0}`
    Given,
}

/// The pieces of a text for `format`.
pub fn brace_pieces(text: &str) -> impl Iterator<Item = BracePiece<'_>> {
    let mut rest = text;
    let mut numbering = Numbering::Unknown;
    std::iter::from_fn(move || {
        let at = rest.find(['{', '}']).unwrap_or(rest.len());
        if at > 0 {
            let (text, behind) = rest.split_at_checked(at)?;
            rest = behind;
            return Some(BracePiece::Text(text));
        }
        for (doubled, brace) in [("{{", "{"), ("}}", "}")] {
            if let Some(behind) = rest.strip_prefix(doubled) {
                rest = behind;
                return Some(BracePiece::Text(brace));
            }
        }
        if rest.is_empty() {
            return None;
        }
        Some(match place(rest, &mut numbering) {
            Ok((place, behind)) => {
                rest = behind;
                BracePiece::Place(place)
            }
            Err(wrong) => {
                rest = "";
                BracePiece::Wrong(wrong)
            }
        })
    })
}

/// The place that the text starts with, and what follows it.
fn place<'t>(text: &'t str, numbering: &mut Numbering) -> Result<(BracePlace<'t>, &'t str), Wrong> {
    let inside = text.strip_prefix('{').ok_or(Wrong::BraceAlone)?;
    let end = field_end(inside).ok_or(Wrong::BraceAlone)?;
    let (name, rest) = inside.split_at_checked(end).ok_or(Wrong::BraceAlone)?;
    if rest.starts_with('{') {
        return Err(Wrong::BraceAlone);
    }
    let field = field(name, numbering)?;
    let (conversion, rest) = conversion(rest)?;
    let Some(form) = rest.strip_prefix(':') else {
        let rest = rest.strip_prefix('}').ok_or(Wrong::BraceAlone)?;
        return Ok((BracePlace { field, conversion, form: Form { pieces: Vec::new() } }, rest));
    };
    let (form, rest) = self::form(form, numbering)?;
    Ok((BracePlace { field, conversion, form }, rest))
}

/// Where the name of a value ends. Brackets may hold anything.
fn field_end(text: &str) -> Option<usize> {
    let mut in_bracket = false;
    text.char_indices().find_map(|(at, found)| {
        match (in_bracket, found) {
            (true, ']') => in_bracket = false,
            (false, '[') => in_bracket = true,
            (false, '{' | '}' | ':' | '!') => return Some(at),
            _ => {}
        }
        None
    })
}

fn field<'t>(text: &'t str, numbering: &mut Numbering) -> Result<Field<'t>, Wrong> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, path) = text.split_at_checked(end).unwrap_or((text, ""));
    let is_number = name.bytes().all(|digit| digit.is_ascii_digit());
    let root = match (name, *numbering) {
        ("", Numbering::Given) => return Err(Wrong::MixedNumbers),
        ("", Numbering::Unknown) => {
            *numbering = Numbering::Counted(1);
            Root::Index(0)
        }
        ("", Numbering::Counted(next)) => {
            *numbering = Numbering::Counted(next + 1);
            Root::Index(next)
        }
        (_, Numbering::Counted(_)) if is_number => return Err(Wrong::MixedNumbers),
        _ if is_number => {
            *numbering = Numbering::Given;
            Root::Index(name.parse().map_err(|_| Wrong::Missing(shown(name)))?)
        }
        _ => Root::Name(name),
    };
    Ok(Field { text, root, path: Path(path) })
}

/// `!r` and the like, and what follows.
fn conversion(text: &str) -> Result<(Option<Conversion>, &str), Wrong> {
    let Some(behind) = text.strip_prefix('!') else { return Ok((None, text)) };
    let end = behind.find([':', '}']).ok_or(Wrong::BraceAlone)?;
    let (letters, rest) = behind.split_at_checked(end).ok_or(Wrong::BraceAlone)?;
    match letters {
        "s" => Ok((Some(Conversion::Text), rest)),
        "r" | "a" => Ok((Some(Conversion::Literal), rest)),
        other => Err(Wrong::Conversion(shown(other))),
    }
}

/// What stands behind the `:` of a place, and what follows the place.
fn form<'t>(text: &'t str, numbering: &mut Numbering) -> Result<(Form<'t>, &'t str), Wrong> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let at = rest.find(['{', '}']).ok_or(Wrong::BraceAlone)?;
        let (text, behind) = rest.split_at_checked(at).ok_or(Wrong::BraceAlone)?;
        if !text.is_empty() {
            pieces.push(FormPiece::Text(text));
        }
        if let Some(behind) = behind.strip_prefix('}') {
            return Ok((Form { pieces }, behind));
        }
        let inside = behind.strip_prefix('{').ok_or(Wrong::BraceAlone)?;
        let end = field_end(inside).ok_or(Wrong::BraceAlone)?;
        let (name, behind) = inside.split_at_checked(end).ok_or(Wrong::BraceAlone)?;
        rest = behind.strip_prefix('}').ok_or(Wrong::TooDeep)?;
        pieces.push(FormPiece::Place(field(name, numbering)?));
    }
}
