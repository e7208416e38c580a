//! What a number looks like in its place.

use super::spec::{Align, Base, FloatKind, Kind, Notation, Separator, Sign, Spec};
use super::wrong::Wrong;

/// A number in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

/// What a number looks like in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digits {
    /// What stands in front of the digits, and in front of zeros that fill the place: `-0x`.
    pub(super) front: String,
    pub(super) text: String,
}

/// The digits of a number without its sign: those that are grouped, and what follows.
struct Parts {
    whole: String,
    rest: String,
}

impl Parts {
    fn of(text: String) -> Self {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        match text.split_at_checked(end) {
            Some((whole, rest)) => Self { whole: whole.to_owned(), rest: rest.to_owned() },
            None => Self { whole: text, rest: String::new() },
        }
    }
}

impl Spec {
    /// A number as it stands in its place. `plain` writes a number that is not negative and of which the
    /// place says nothing.
    pub(super) fn digits(
        &self,
        number: Number,
        plain: impl FnOnce(f64) -> String,
    ) -> Result<Digits, Wrong> {
        match (self.kind, number) {
            (Kind::Float(kind), Number::Integer(number)) => {
                #[expect(clippy::cast_precision_loss, reason = "as Python does")]
                let number = number as f64;
                self.float(Some(kind), number, plain)
            }
            (Kind::Float(kind), Number::Float(number)) => self.float(Some(kind), number, plain),
            (Kind::Number, Number::Float(number)) => {
                self.no_separator()?;
                self.float(Some(FloatKind::General { is_upper: false }), number, plain)
            }
            (Kind::Open, Number::Float(number)) => self.float(None, number, plain),
            (Kind::Integer(base), Number::Integer(number)) => self.integer(base, number),
            (Kind::Number, Number::Integer(number)) => {
                self.no_separator()?;
                self.integer(Base::Decimal, number)
            }
            (_, Number::Integer(number)) => self.integer(Base::Decimal, number),
            (_, Number::Float(number)) => self.whole_of(number),
        }
    }

    fn integer(&self, base: Base, number: i128) -> Result<Digits, Wrong> {
        if self.no_negative_zero {
            return Err(Wrong::Option("z"));
        }
        let (is_minus, number) = (number < 0, number.unsigned_abs());
        let (prefix, mut text) = match base {
            Base::Decimal => ("", number.to_string()),
            Base::Binary => ("0b", format!("{number:b}")),
            Base::Octal => ("0o", format!("{number:o}")),
            Base::Hexadecimal => ("0x", format!("{number:x}")),
            Base::UpperHexadecimal => ("0X", format!("{number:X}")),
        };
        let group = match (base, self.separator) {
            (Base::Decimal, _) => 3,
            (_, Some(Separator::Comma)) => return Err(Wrong::Option(",")),
            _ => 4,
        };
        match (self.notation, self.precision) {
            (Notation::Braces, Some(_)) => return Err(Wrong::Option(".")),
            (Notation::Percent, Some(least)) if text.len() < least => {
                text.insert_str(0, &"0".repeat(least - text.len()));
            }
            _ => {}
        }
        let prefix = if self.alternate { prefix } else { "" };
        let front = format!("{}{prefix}", self.sign_of(is_minus));
        let parts = Parts { whole: text, rest: String::new() };
        Ok(self.grouped(front, parts, group))
    }

    /// A number with a fraction in the place of a whole one, which only `%d` admits.
    fn whole_of(&self, number: f64) -> Result<Digits, Wrong> {
        if self.notation == Notation::Braces || self.kind != Kind::Integer(Base::Decimal) {
            return Err(Wrong::NoInteger(self.kind.letter()));
        }
        if !number.is_finite() {
            return Err(Wrong::NotFinite);
        }
        let number = number.trunc();
        let mut text = format!("{:.0}", number.abs());
        let least = self.precision.unwrap_or_default();
        if text.len() < least {
            text.insert_str(0, &"0".repeat(least - text.len()));
        }
        Ok(Digits { front: self.sign_of(number < 0.0).to_owned(), text })
    }

    fn float(
        &self,
        kind: Option<FloatKind>,
        number: f64,
        plain: impl FnOnce(f64) -> String,
    ) -> Result<Digits, Wrong> {
        let is_minus = number.is_sign_negative() && !number.is_nan();
        let number = number.abs();
        let precision = self.precision.unwrap_or(6);
        let is_upper = matches!(
            kind,
            Some(
                FloatKind::Fixed { is_upper: true }
                    | FloatKind::Scientific { is_upper: true }
                    | FloatKind::General { is_upper: true }
            )
        );
        let mut text = match (kind, self.precision) {
            _ if number.is_nan() => "nan".to_owned(),
            _ if number.is_infinite() => "inf".to_owned(),
            (Some(FloatKind::Fixed { .. }), _) => self.fixed(number, precision),
            (Some(FloatKind::Percent), _) => self.fixed(number * 100.0, precision),
            (Some(FloatKind::Scientific { .. }), _) => self.scientific(number, precision),
            (Some(FloatKind::General { .. }), _) => self.general(number, precision, false),
            (None, Some(precision)) => self.general(number, precision, true),
            (None, None) => self.with_point(plain(number)),
        };
        if is_upper {
            text.make_ascii_uppercase();
        }
        if kind == Some(FloatKind::Percent) {
            text.push('%');
        }
        let is_zero = || !text.contains(|c: char| ('1'..='9').contains(&c) || c == 'i' || c == 'I');
        let is_minus = is_minus && !(self.no_negative_zero && is_zero());
        let parts = Parts::of(text);
        Ok(self.grouped(self.sign_of(is_minus).to_owned(), parts, 3))
    }

    fn fixed(&self, number: f64, precision: usize) -> String {
        self.with_point(format!("{number:.precision$}"))
    }

    fn scientific(&self, number: f64, precision: usize) -> String {
        let (digits, exponent) = rounded(number, precision);
        let digits = self.with_point(digits);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }

    /// As many digits as the precision says, in the shorter of the two forms. `is_open` is the form of
    /// `{:.3}`, which looks like a number with a fraction.
    fn general(&self, number: f64, precision: usize, is_open: bool) -> String {
        let precision = precision.max(1);
        let (digits, exponent) = rounded(number, precision - 1);
        let limit = i64::try_from(precision).unwrap_or(i64::MAX);
        // A digit stands behind the point, so one less may stand in front of it.
        let limit = if is_open { limit - 1 } else { limit };
        let exponent = i64::from(exponent);
        if exponent < -4 || exponent >= limit {
            let digits = if self.alternate { self.with_point(digits) } else { trimmed(&digits) };
            let sign = if exponent < 0 { '-' } else { '+' };
            return format!("{digits}e{sign}{:02}", exponent.abs());
        }
        let places = usize::try_from(limit - i64::from(!is_open) - exponent).unwrap_or_default();
        let text = format!("{number:.places$}");
        match (self.alternate, is_open) {
            (true, _) => self.with_point(text),
            (false, false) => trimmed(&text),
            (false, true) => {
                let trimmed = trimmed(&text);
                if trimmed.contains('.') { trimmed } else { trimmed + ".0" }
            }
        }
    }

    /// `#`: a point also where nothing follows it.
    fn with_point(&self, mut text: String) -> String {
        if self.alternate && !text.contains('.') {
            let end = text.find('e').unwrap_or(text.len());
            text.insert(end, '.');
        }
        text
    }

    /// The digits with a separator, in front of which zeros that fill the place have one, too.
    fn grouped(&self, front: String, parts: Parts, group: usize) -> Digits {
        // What is infinite has no digits.
        let Some(separator) = self.separator.filter(|_| !parts.whole.is_empty()) else {
            return Digits { front, text: parts.whole + &parts.rest };
        };
        let is_filled = match (self.align, self.fill) {
            (None, _) => self.zeros,
            (Some(Align::Apart), fill) => fill == '0',
            _ => false,
        };
        let mut digits = parts.whole;
        if is_filled {
            let taken = front.len().saturating_add(parts.rest.len());
            let room = self.width.saturating_sub(taken);
            // `count` digits and their separators are at least as wide as the room.
            let least = (room.saturating_mul(group).saturating_add(1)) / (group + 1);
            let mut count = least.max(1);
            while count + (count - 1) / group < room {
                count += 1;
            }
            if digits.len() < count && room > 0 {
                digits.insert_str(0, &"0".repeat(count - digits.len()));
            }
        }
        let mut text = String::new();
        let length = digits.len();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (length - index).is_multiple_of(group) {
                text.push_str(separator.text());
            }
            text.push(digit);
        }
        Digits { front, text: text + &parts.rest }
    }

    fn sign_of(&self, is_minus: bool) -> &'static str {
        match self.sign {
            _ if is_minus => "-",
            Sign::Plus => "+",
            Sign::Space => " ",
            Sign::Open | Sign::Minus => "",
        }
    }

    fn no_separator(&self) -> Result<(), Wrong> {
        match self.separator {
            Some(separator) => Err(Wrong::Option(separator.text())),
            None => Ok(()),
        }
    }
}

/// A number's digits, one of them in front of the point, and its exponent after rounding.
fn rounded(number: f64, precision: usize) -> (String, i32) {
    let text = format!("{number:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or_default()),
        None => (text, 0),
    }
}

/// Without the zeros that end a fraction.
fn trimmed(digits: &str) -> String {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    }
}
