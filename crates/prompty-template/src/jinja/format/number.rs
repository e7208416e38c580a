//! Formats numbers according to a specification.
//!
//! [`Spec::digits`] chooses between [`Spec::integer`] and [`Spec::float`]. Both end with
//! [`Spec::grouped`], which inserts the separators. The padding up to the width is added later, by
//! `fill`. Only zeros before grouped digits, as in `{:08,}`, are added here, because they are
//! grouped too.

use super::error::FormatError;
use super::spec::{Align, Base, FloatKind, Notation, Separator, Sign, Spec, ValueKind};

/// A number to format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

/// A formatted number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digits {
    /// The sign and prefix, which are before the digits and before padding zeros: `-0x`.
    pub(super) front: String,
    pub(super) text: String,
}

/// The digits of a number without its sign: those before the point, and the rest, such as `.5e+10`.
struct NumberParts {
    integer: String,
    rest: String,
}

impl NumberParts {
    fn of(text: String) -> Self {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        match text.split_at_checked(end) {
            Some((integer, rest)) => Self { integer: integer.to_owned(), rest: rest.to_owned() },
            None => Self { integer: text, rest: String::new() },
        }
    }
}

impl Spec {
    /// Formats a number. `plain` formats a float that is not negative and has no options.
    pub(super) fn digits(
        &self,
        number: Number,
        plain: impl FnOnce(f64) -> String,
    ) -> Result<Digits, FormatError> {
        // As in Python, `n` accepts no separator.
        if let (ValueKind::Number, Some(separator)) = (self.kind, self.separator) {
            return Err(FormatError::Option(separator.text()));
        }
        match (self.kind, number) {
            (ValueKind::Float(kind), Number::Integer(number)) => {
                #[expect(clippy::cast_precision_loss, reason = "as Python does")]
                let number = number as f64;
                self.float(Some(kind), number, plain)
            }
            (ValueKind::Float(kind), Number::Float(number)) => {
                self.float(Some(kind), number, plain)
            }
            (ValueKind::Number, Number::Float(number)) => {
                self.float(Some(FloatKind::General), number, plain)
            }
            (ValueKind::Unspecified, Number::Float(number)) => self.float(None, number, plain),
            (ValueKind::Integer(base), Number::Integer(number)) => self.integer(base, number),
            (_, Number::Integer(number)) => self.integer(Base::Decimal, number),
            (_, Number::Float(number)) => self.truncated_integer(number),
        }
    }

    fn integer(&self, base: Base, number: i128) -> Result<Digits, FormatError> {
        if self.no_negative_zero {
            return Err(FormatError::Option("z"));
        }
        let (is_minus, number) = (number < 0, number.unsigned_abs());
        let (prefix, mut text) = match base {
            Base::Decimal => ("", number.to_string()),
            Base::Binary => ("0b", format!("{number:b}")),
            Base::Octal => ("0o", format!("{number:o}")),
            Base::Hexadecimal if self.letter == 'X' => ("0X", format!("{number:X}")),
            Base::Hexadecimal => ("0x", format!("{number:x}")),
        };
        let group = match (base, self.separator) {
            (Base::Decimal, _) => 3,
            (_, Some(Separator::Comma)) => return Err(FormatError::Option(",")),
            _ => 4,
        };
        match (self.notation, self.precision) {
            (Notation::Braces, Some(_)) => return Err(FormatError::Option(".")),
            (Notation::Percent, Some(minimum)) => text = format!("{text:0>minimum$}"),
            _ => {}
        }
        let prefix = if self.alternate { prefix } else { "" };
        let front = format!("{}{prefix}", self.sign_of(is_minus));
        let parts = NumberParts { integer: text, rest: String::new() };
        Ok(self.grouped(front, parts, group))
    }

    /// Formats a float as an integer, which only `%d` accepts.
    fn truncated_integer(&self, number: f64) -> Result<Digits, FormatError> {
        if self.notation == Notation::Braces || self.kind != ValueKind::Integer(Base::Decimal) {
            return Err(FormatError::NotInteger(self.letter));
        }
        if !number.is_finite() {
            return Err(FormatError::NotFinite);
        }
        let number = number.trunc();
        let minimum = self.precision.unwrap_or_default();
        let text = format!("{:0>minimum$.0}", number.abs());
        Ok(Digits { front: self.sign_of(number < 0.0).to_owned(), text })
    }

    fn float(
        &self,
        kind: Option<FloatKind>,
        number: f64,
        plain: impl FnOnce(f64) -> String,
    ) -> Result<Digits, FormatError> {
        let is_minus = number.is_sign_negative() && !number.is_nan();
        let number = number.abs();
        let precision = self.precision.unwrap_or(6);
        let mut text = match (kind, self.precision) {
            _ if number.is_nan() => "nan".to_owned(),
            _ if number.is_infinite() => "inf".to_owned(),
            (Some(FloatKind::Fixed), _) => self.fixed(number, precision),
            (Some(FloatKind::Percent), _) => self.fixed(number * 100.0, precision),
            (Some(FloatKind::Scientific), _) => self.scientific(number, precision),
            (Some(FloatKind::General), _) => self.general(number, precision, false),
            (None, Some(precision)) => self.general(number, precision, true),
            (None, None) => self.with_point(plain(number)),
        };
        if self.letter.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        if kind == Some(FloatKind::Percent) {
            text.push('%');
        }
        // The letter `i` is in `inf`, which has no digits, but is not zero.
        let is_zero = || !text.contains(|c: char| ('1'..='9').contains(&c) || c == 'i' || c == 'I');
        let is_minus = is_minus && !(self.no_negative_zero && is_zero());
        let parts = NumberParts::of(text);
        Ok(self.grouped(self.sign_of(is_minus).to_owned(), parts, 3))
    }

    fn fixed(&self, number: f64, precision: usize) -> String {
        self.with_point(format!("{number:.precision$}"))
    }

    fn scientific(&self, number: f64, precision: usize) -> String {
        let (digits, exponent) = round(number, precision);
        let digits = self.with_point(digits);
        format!("{digits}e{exponent:+03}")
    }

    /// Formats a number with as many digits as the precision, in scientific form if the exponent is
    /// less than -4 or not less than the precision, and otherwise in fixed form. For a precision of
    /// 3, 1234.5 is `1.23e+03`, and 12.0 is `12`. `has_fraction` is set for `{:.3}`, which keeps at
    /// least one digit after the point: `12.0`.
    fn general(&self, number: f64, precision: usize, has_fraction: bool) -> String {
        let precision = precision.max(1);
        let (digits, exponent) = round(number, precision - 1);
        let limit = i64::try_from(precision).unwrap_or(i64::MAX);
        // One digit is after the point, so one less may be before it.
        let limit = if has_fraction { limit - 1 } else { limit };
        let exponent = i64::from(exponent);
        if exponent < -4 || exponent >= limit {
            let digits = if self.alternate { self.with_point(digits) } else { trim_zeros(&digits) };
            return format!("{digits}e{exponent:+03}");
        }
        let places =
            usize::try_from(limit - i64::from(!has_fraction) - exponent).unwrap_or_default();
        let text = format!("{number:.places$}");
        match (self.alternate, has_fraction) {
            (true, _) => self.with_point(text),
            (false, false) => trim_zeros(&text),
            (false, true) => {
                let trimmed = trim_zeros(&text);
                if trimmed.contains('.') { trimmed } else { trimmed + ".0" }
            }
        }
    }

    /// Adds a point at the end of the digits for the option `#`.
    fn with_point(&self, mut text: String) -> String {
        if self.alternate && !text.contains('.') {
            let end = text.find('e').unwrap_or(text.len());
            text.insert(end, '.');
        }
        text
    }

    /// Groups the digits with a separator. Padding zeros before the digits are grouped too.
    /// `group` is the number of digits between two separators.
    fn grouped(&self, front: String, parts: NumberParts, group: usize) -> Digits {
        // Infinity has no digits.
        let Some(separator) = self.separator.filter(|_| !parts.integer.is_empty()) else {
            return Digits { front, text: parts.integer + &parts.rest };
        };
        let is_filled = match (self.align, self.fill) {
            (None, _) => self.zeros,
            (Some(Align::AfterSign), fill) => fill == '0',
            _ => false,
        };
        let mut digits = parts.integer;
        if is_filled {
            let taken = front.len().saturating_add(parts.rest.len());
            let available = self.width.saturating_sub(taken);
            // Zeros are added until the digits and their separators are at least as wide as the
            // available width: for a width of 6, `12` becomes `00,012`, and for 5 `0,012`.
            let minimum = (available.saturating_mul(group).saturating_add(1)) / (group + 1);
            let mut count = minimum.max(1);
            while count + (count - 1) / group < available {
                count += 1;
            }
            if available > 0 {
                digits = format!("{digits:0>count$}");
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
            Sign::Unspecified | Sign::Minus => "",
        }
    }
}

/// Returns the digits of a number in scientific form, and its exponent after rounding.
/// With a precision of 1, 96.0 is `9.6` and 1, and 99.6 is `1.0` and 2.
fn round(number: f64, precision: usize) -> (String, i32) {
    let text = format!("{number:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or_default()),
        None => (text, 0),
    }
}

/// Removes the zeros at the end of a fraction.
fn trim_zeros(digits: &str) -> String {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    }
}
