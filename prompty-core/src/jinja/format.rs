//! Texts with places for values, as Python fills them: `'%s of %d' % (a, b)` and
//! `'{} {name}'.format(a, name=b)`.
//!
//! The readers of both forms are here, and what a number looks like in its place. What other values look
//! like, and what all that costs, is the engines' to say.
//!
//! ```
//! use prompty_core::jinja::format::{Number, PercentPiece, percent_pieces};
//!
//! let written: Vec<String> = percent_pieces("%5.1f %%")
//!     .map(|piece| match piece {
//!         PercentPiece::Text(text) => text.to_owned(),
//!         PercentPiece::Place { spec, .. } => {
//!             let digits = spec.digits(Number::Float(2.25), |float| float.to_string());
//!             format!("{:>5}", digits.text)
//!         }
//!     })
//!     .collect();
//! assert_eq!(written.concat(), "  2.2 %");
//! ```

use crate::text::slice;

/// The widest that a place may be, and the most digits that a number may have behind its point.
const WIDEST: usize = 10_000;

/// How a value is written into its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    width: usize,
    separator: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// A number in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
}

/// What a number looks like in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digits {
    /// What stands in front of the digits, and in front of zeros that fill the place.
    pub sign: &'static str,
    /// The digits.
    pub text: String,
}

/// How often the filling character stands around a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padding {
    /// The character.
    pub fill: char,
    /// In front of the sign.
    pub before: usize,
    /// Between the sign and the digits.
    pub between: usize,
    /// Behind the value.
    pub behind: usize,
}

impl Spec {
    /// Whether a value is written as a text: the place asks for one, or the value is one letter of `%c`.
    #[must_use]
    pub fn wants_text(&self, is_text: bool) -> bool {
        matches!(self.kind, Some('s' | 'r' | 'a')) || (self.kind == Some('c') && is_text)
    }

    /// Whether a value that is no number can stand here.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        matches!(self.kind, None | Some('s' | 'r' | 'a'))
    }

    /// Whether only a number can stand here.
    #[must_use]
    pub fn wants_number(&self) -> bool {
        !self.takes_text() && self.kind != Some('c')
    }

    /// Whether the place asks for a value as a program writes it: `%r`.
    #[must_use]
    pub fn wants_literal(&self) -> bool {
        matches!(self.kind, Some('r' | 'a'))
    }

    /// Whether nothing is said of the value's form: `{}`.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.kind.is_none()
    }

    /// How many digits behind its point a number is written with, if the place says so.
    #[must_use]
    pub fn precision(&self) -> usize {
        self.precision.unwrap_or_default()
    }

    /// The text up to as many characters as the place admits; `None` if it admits all.
    #[must_use]
    pub fn cut<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (at, _) = text.char_indices().nth(self.precision?)?;
        Some(slice(text, ..at))
    }

    /// A number as it stands in its place. `plain` writes a number that is not negative and of which the
    /// place says nothing.
    #[must_use]
    pub fn digits(&self, number: Number, plain: impl FnOnce(f64) -> String) -> Digits {
        let is_float = matches!(self.kind, Some('f' | 'F' | 'e' | 'E' | 'g' | 'G' | '%'));
        match number {
            Number::Integer(number) if !is_float => {
                let (sign, number) = (self.sign_of(number < 0), number.unsigned_abs());
                let digits = match self.kind {
                    Some('x') => format!("{number:x}"),
                    Some('X') => format!("{number:X}"),
                    Some('o') => format!("{number:o}"),
                    Some('b') => format!("{number:b}"),
                    _ => grouped(&number.to_string(), self.separator),
                };
                Digits { sign, text: self.prefix() + &digits }
            }
            #[expect(clippy::cast_precision_loss, reason = "as Python does")]
            Number::Integer(number) => self.float(number as f64, plain),
            Number::Float(number) if matches!(self.kind, Some('d' | 'i' | 'u')) => Digits {
                sign: self.sign_of(number < 0.0),
                text: format!("{:.0}", number.abs().trunc()),
            },
            Number::Float(number) => self.float(number, plain),
        }
    }

    fn float(&self, number: f64, plain: impl FnOnce(f64) -> String) -> Digits {
        let is_minus = number.is_sign_negative() && !number.is_nan();
        let number = number.abs();
        let precision = self.precision.unwrap_or(6);
        let text = match (self.kind, self.precision) {
            (Some('f' | 'F'), _) => format!("{number:.precision$}"),
            (Some('%'), _) => format!("{:.precision$}%", number * 100.0),
            (Some('e'), _) => scientific(number, precision),
            (Some('E'), _) => scientific(number, precision).to_uppercase(),
            (Some('g' | 'G'), _) | (_, Some(_)) => general(number, precision.max(1)),
            (_, None) => plain(number),
        };
        Digits { sign: self.sign_of(is_minus), text: grouped(&text, self.separator) }
    }

    /// How a value of so many characters, its sign included, is filled up to the width. A number stands
    /// at the right of its place, and all else at the left, unless the place says where.
    #[must_use]
    pub fn padding(&self, length: usize, is_number: bool) -> Padding {
        let missing = self.width.saturating_sub(length);
        let (before, between, behind) = match (self.align, is_number) {
            (Some('<'), _) | (None, false) => (0, 0, missing),
            (Some('^'), _) => (missing / 2, 0, missing - missing / 2),
            (Some('='), _) => (0, missing, 0),
            _ => (missing, 0, 0),
        };
        Padding { fill: self.fill.unwrap_or(' '), before, between, behind }
    }

    fn sign_of(&self, is_minus: bool) -> &'static str {
        match self.sign {
            _ if is_minus => "-",
            Some('+') => "+",
            Some(' ') => " ",
            _ => "",
        }
    }

    fn prefix(&self) -> String {
        match self.kind {
            Some(kind @ ('x' | 'X' | 'o' | 'b')) if self.alternate => format!("0{kind}"),
            _ => String::new(),
        }
    }
}

/// A piece of a text for `%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PercentPiece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// A place for a value.
    Place {
        /// The name of the value: `%(name)s`. Without one, it is the next value.
        name: Option<&'t str>,
        /// How the value is written.
        spec: Spec,
    },
}

/// The pieces of a text for `%`.
pub fn percent_pieces(text: &str) -> impl Iterator<Item = PercentPiece<'_>> {
    let mut rest = text;
    // A parenthesis that is not closed is looked for once.
    let mut closes = true;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(behind) = rest.strip_prefix('%') else {
            let (text, behind) = rest.split_at_checked(rest.find('%').unwrap_or(rest.len()))?;
            rest = behind;
            return Some(PercentPiece::Text(text));
        };
        rest = behind;
        if let Some(behind) = rest.strip_prefix('%') {
            rest = behind;
            return Some(PercentPiece::Text("%"));
        }
        let mut name = None;
        if closes && let Some(behind) = rest.strip_prefix('(') {
            match behind.split_once(')') {
                Some((found, behind)) => (name, rest) = (Some(found), behind),
                None => closes = false,
            }
        }
        let (spec, behind) = percent_spec(rest);
        rest = behind;
        Some(PercentPiece::Place { name, spec })
    })
}

/// `-05.2f` and the like, and what follows.
fn percent_spec(text: &str) -> (Spec, &str) {
    let mut spec = Spec { align: Some('>'), ..Spec::default() };
    let mut rest = text;
    while let Some(flag) = rest.chars().next().filter(|flag| "-+ 0#".contains(*flag)) {
        match flag {
            '-' => spec.align = Some('<'),
            '0' => spec.fill = Some('0'),
            '#' => spec.alternate = true,
            _ => spec.sign = Some(flag),
        }
        rest = slice(rest, 1..);
    }
    (spec.width, rest) = digits(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = digits(behind);
        spec.precision = Some(precision);
        rest = behind;
    }
    let kind = rest.chars().next();
    spec.kind = kind;
    if spec.fill == Some('0') && spec.align != Some('<') {
        spec.align = Some('=');
    } else {
        spec.fill = None;
    }
    (spec, slice(rest, kind.map_or(0, char::len_utf8)..))
}

fn digits(text: &str) -> (usize, &str) {
    let length = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(length).unwrap_or(("", text));
    (digits.parse().unwrap_or(if digits.is_empty() { 0 } else { WIDEST }).min(WIDEST), rest)
}

/// A piece of a text for `format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BracePiece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// A place for a value.
    Place {
        /// All that names the value: `user.name`.
        field: &'t str,
        /// Which value it is.
        root: Root<'t>,
        /// The attributes and items of it that lead to what is written.
        path: Path<'t>,
        /// `r` or `s` behind a `!`, which make a text of the value first.
        conversion: Option<char>,
        /// How the value is written.
        spec: Spec,
    },
    /// A brace that is not closed, or not opened.
    Alone,
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
    /// A bracket that is not closed.
    Broken,
}

impl<'t> Iterator for Path<'t> {
    type Item = Step<'t>;

    fn next(&mut self) -> Option<Step<'t>> {
        if self.0.is_empty() {
            return None;
        }
        let split = |text: &'t str| {
            text.split_at_checked(text.find(['.', '[']).unwrap_or(text.len())).unwrap_or((text, ""))
        };
        if let Some(behind) = self.0.strip_prefix('.') {
            let (name, rest) = split(behind);
            self.0 = rest;
            return Some(Step::Attribute(name));
        }
        let Some((key, rest)) = self.0.strip_prefix('[').and_then(|path| path.split_once(']'))
        else {
            self.0 = "";
            return Some(Step::Broken);
        };
        self.0 = rest;
        Some(key.parse().map_or(Step::Key(key), Step::Index))
    }
}

/// The pieces of a text for `format`.
pub fn brace_pieces(text: &str) -> impl Iterator<Item = BracePiece<'_>> {
    let mut rest = text;
    let mut next = 0;
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
        let Some((place, behind)) = rest.strip_prefix('{').and_then(|it| it.split_once('}')) else {
            rest = "";
            return Some(BracePiece::Alone);
        };
        rest = behind;
        let (field, spec) = place.split_once(':').unwrap_or((place, ""));
        let (field, conversion) = field.split_once('!').unwrap_or((field, ""));
        let end = field.find(['.', '[']).unwrap_or(field.len());
        let (name, path) = field.split_at_checked(end).unwrap_or((field, ""));
        let root = match name {
            "" => {
                next += 1;
                Root::Index(next - 1)
            }
            _ => name.parse().map_or(Root::Name(name), Root::Index),
        };
        let conversion = conversion.chars().next();
        let spec = brace_spec(spec);
        Some(BracePiece::Place { field, root, path: Path(path), conversion, spec })
    })
}

/// `>8,.2f` and the like.
fn brace_spec(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut rest = text;
    let mut characters = text.chars();
    let (first, second) = (characters.next(), characters.next());
    let is_align = |c: Option<char>| c.is_some_and(|c| "<>=^".contains(c));
    if is_align(second) {
        (spec.fill, spec.align) = (first, second);
        rest = characters.as_str();
    } else if is_align(first) {
        spec.align = first;
        rest = slice(text, 1..);
    }
    if let Some(sign) = rest.chars().next().filter(|sign| "+- ".contains(*sign)) {
        spec.sign = Some(sign);
        rest = slice(rest, 1..);
    }
    if let Some(behind) = rest.strip_prefix('#') {
        spec.alternate = true;
        rest = behind;
    }
    if rest.starts_with('0') && spec.align.is_none() {
        spec.fill = Some('0');
        spec.align = Some('=');
    }
    (spec.width, rest) = digits(rest);
    if let Some(separator) = rest.chars().next().filter(|it| ",_".contains(*it)) {
        spec.separator = Some(separator);
        rest = slice(rest, 1..);
    }
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = digits(behind);
        spec.precision = Some(precision);
        rest = behind;
    }
    spec.kind = rest.chars().next();
    spec
}

/// Digits with a separator between each three.
fn grouped(digits: &str, separator: Option<char>) -> String {
    let Some(separator) = separator else { return digits.to_owned() };
    let (whole, fraction) =
        digits.split_at_checked(digits.find('.').unwrap_or(digits.len())).unwrap_or((digits, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped + fraction
}

fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn general(number: f64, precision: usize) -> String {
    let exponent = if number == 0.0 { 0.0 } else { number.log10().floor() };
    let text = if exponent < -4.0 || exponent >= precision as f64 {
        scientific(number, precision - 1)
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "it lies between -4 and the precision")]
        let places = (precision as i64 - 1 - exponent as i64).max(0);
        let places = usize::try_from(places).unwrap_or_default();
        format!("{number:.places$}")
    };
    match text.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{exponent}")
        }
        None if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(form: &str, number: Number) -> String {
        let mut pieces = percent_pieces(form);
        let Some(PercentPiece::Place { spec, .. }) = pieces.next() else { return String::new() };
        let Digits { sign, text } = spec.digits(number, |float| float.to_string());
        let padding = spec.padding(sign.len() + text.chars().count(), true);
        let fill = |times| padding.fill.to_string().repeat(times);
        let (before, between, behind) =
            (fill(padding.before), fill(padding.between), fill(padding.behind));
        format!("{before}{sign}{between}{text}{behind}")
    }

    #[test]
    fn numbers_stand_in_their_places_as_in_python() {
        assert_eq!(number("%05d", Number::Integer(-7)), "-0007");
        assert_eq!(number("%-5d|", Number::Integer(7)), "7    ");
        assert_eq!(number("%+.2f", Number::Float(2.0)), "+2.00");
        assert_eq!(number("%#x", Number::Integer(255)), "0xff");
        assert_eq!(number("%.3e", Number::Float(12345.0)), "1.234e+04");
        assert_eq!(number("%g", Number::Float(0.0001)), "0.0001");
        assert_eq!(number("%d", Number::Float(2.9)), "2");
    }

    #[test]
    fn a_place_of_braces_has_a_root_a_path_a_conversion_and_a_form() {
        let pieces: Vec<_> = brace_pieces("a{{{}{user.name[0]!r:>8}}").collect();
        let [BracePiece::Text("a"), BracePiece::Text("{"), first, second, BracePiece::Alone] =
            pieces.as_slice()
        else {
            panic!("{pieces:?}");
        };
        assert!(matches!(first, BracePiece::Place { root: Root::Index(0), .. }));
        let BracePiece::Place { root, path, conversion, .. } = second else { panic!() };
        assert_eq!((*root, *conversion), (Root::Name("user"), Some('r')));
        assert_eq!(path.collect::<Vec<_>>(), [Step::Attribute("name"), Step::Index(0)]);
    }
}
