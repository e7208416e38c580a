//! Bounds of numbers and of counts. Numbers are compared digit by digit, so they are not rounded.

use std::cmp::Ordering;
use std::fmt;

use crate::value::Value;

/// A number in decimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decimal {
    /// Whether it is below zero.
    pub negative: bool,
    /// The digits before the point, without leading zeros: empty for zero.
    pub integer: Vec<u8>,
    /// The digits after the point, without trailing zeros.
    pub fraction: Vec<u8>,
}

impl Decimal {
    /// Converts a number; `None` if the value is not a finite number.
    pub fn from_value(value: &Value) -> Option<Self> {
        let written = match value {
            Value::Integer(integer) => integer.to_string(),
            Value::Float(float) if float.is_finite() => float.to_string(),
            _ => return None,
        };
        let (negative, written) = match written.strip_prefix('-') {
            Some(written) => (true, written),
            None => (false, written.as_str()),
        };
        let (integer, fraction) = written.split_once('.').unwrap_or((written, ""));
        let integer = integer.trim_start_matches('0').bytes().map(|byte| byte - b'0').collect();
        let fraction = fraction.trim_end_matches('0').bytes().map(|byte| byte - b'0').collect();
        let mut decimal = Self { negative, integer, fraction };
        decimal.negative &= !decimal.is_zero();
        Some(decimal)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.integer.is_empty() && self.fraction.is_empty()
    }

    /// The number of digits.
    pub fn digits(&self) -> usize {
        self.integer.len() + self.fraction.len()
    }

    /// Whether it is an integer multiple of another number. Only zero is a multiple of zero.
    ///
    /// ```
    /// use prompty_core::schema::Decimal;
    /// use prompty_core::value::Value;
    ///
    /// let number = |value: f64| Decimal::from_value(&Value::from(value)).unwrap_or_default();
    /// assert!(number(0.3).is_multiple_of(&number(0.1)), "the decimal digits are compared");
    /// assert!(!number(0.35).is_multiple_of(&number(0.1)));
    /// ```
    pub fn is_multiple_of(&self, other: &Self) -> bool {
        if other.is_zero() || self.is_zero() {
            return self.is_zero();
        }
        // Scale both to integers, in units of the last digit of either.
        let places = self.fraction.len().max(other.fraction.len());
        let scaled = |number: &Self| -> Vec<u8> {
            let missing = places - number.fraction.len();
            let digits = number.integer.iter().chain(&number.fraction).copied();
            let digits = digits.skip_while(|digit| *digit == 0);
            digits.chain(std::iter::repeat_n(0, missing)).collect()
        };
        remainder(&scaled(self), &scaled(other)).is_empty()
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// The largest integer that is not greater; `None` if an `i128` cannot hold it.
    pub fn floor(&self) -> Option<i128> {
        let digits = digits_to_text(&self.integer);
        let integer: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        match (self.negative, self.fraction.is_empty()) {
            (false, _) => Some(integer),
            (true, true) => Some(-integer),
            (true, false) => Some(-integer - 1),
        }
    }

    /// The smallest integer that is not less.
    pub fn ceiling(&self) -> Option<i128> {
        self.negated().floor().map(|floor| -floor)
    }
}

/// The remainder of a division. All numbers are digits without leading zeros; zero has none.
///
/// It is written division without the quotient. For 75 by 7: 7 - 7 = 0, then 5, which is left.
fn remainder(number: &[u8], by: &[u8]) -> Vec<u8> {
    let mut left: Vec<u8> = Vec::with_capacity(by.len() + 1);
    for &digit in number {
        if !(left.is_empty() && digit == 0) {
            left.push(digit);
        }
        // Of two numbers, the one with more digits is larger.
        while (left.len(), left.as_slice()) >= (by.len(), by) {
            subtract(&mut left, by);
        }
    }
    left
}

/// Subtracts a number from one that is not smaller, digit by digit from the last.
fn subtract(from: &mut Vec<u8>, number: &[u8]) {
    let mut borrowed = 0;
    let others = number.iter().rev().copied().chain(std::iter::repeat(0));
    for (digit, other) in from.iter_mut().rev().zip(others) {
        let other = other + borrowed;
        borrowed = u8::from(*digit < other);
        *digit = *digit + 10 * borrowed - other;
    }
    let zeros = from.iter().take_while(|digit| **digit == 0).count();
    from.drain(..zeros);
}

fn digits_to_text(digits: &[u8]) -> String {
    digits.iter().filter_map(|&digit| char::from_digit(digit.into(), 10)).collect()
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let integer = digits_to_text(&self.integer);
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", if integer.is_empty() { "0" } else { &integer })?;
        match self.fraction.as_slice() {
            [] => Ok(()),
            fraction => write!(f, ".{}", digits_to_text(fraction)),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // Integers with more digits are larger; equally long ones and fractions compare as texts
        // do.
        let magnitudes = || {
            let lengths = self.integer.len().cmp(&other.integer.len());
            lengths.then_with(|| {
                (&self.integer, &self.fraction).cmp(&(&other.integer, &other.fraction))
            })
        };
        match (self.negative, other.negative) {
            (false, false) => magnitudes(),
            (true, true) => magnitudes().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// The bounds of numbers: `minimum`, `maximum`, and their exclusive forms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounds {
    /// The lower bound, and whether it is inclusive.
    pub lower: Option<(Decimal, bool)>,
    /// The upper bound, and whether it is inclusive.
    pub upper: Option<(Decimal, bool)>,
}

impl Bounds {
    /// Whether there is no bound.
    pub fn is_none(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// The number of digits of both bounds.
    pub fn digits(&self) -> usize {
        let bounds = self.lower.iter().chain(&self.upper);
        bounds.map(|(bound, _)| bound.digits()).sum()
    }

    /// Adds a lower bound. The tighter of two bounds is kept.
    pub fn add_lower(&mut self, bound: Decimal, inclusive: bool) {
        // Of two equal bounds, the exclusive one is higher.
        let is_tighter = |known: &(Decimal, bool)| (&bound, !inclusive) > (&known.0, !known.1);
        if self.lower.as_ref().is_none_or(is_tighter) {
            self.lower = Some((bound, inclusive));
        }
    }

    /// Adds an upper bound. The tighter of two bounds is kept.
    pub fn add_upper(&mut self, bound: Decimal, inclusive: bool) {
        // Of two equal bounds, the exclusive one is lower.
        let is_tighter = |known: &(Decimal, bool)| (&bound, inclusive) < (&known.0, known.1);
        if self.upper.as_ref().is_none_or(is_tighter) {
            self.upper = Some((bound, inclusive));
        }
    }

    /// Adds the bounds of another schema for the same value.
    pub fn add(&mut self, other: Self) {
        if let Some((bound, inclusive)) = other.lower {
            self.add_lower(bound, inclusive);
        }
        if let Some((bound, inclusive)) = other.upper {
            self.add_upper(bound, inclusive);
        }
    }

    /// Whether a number is within the bounds.
    pub fn contains(&self, number: &Decimal) -> bool {
        let is_above = |(bound, inclusive): &(Decimal, bool)| {
            number > bound || (*inclusive && number == bound)
        };
        let is_below = |(bound, inclusive): &(Decimal, bool)| {
            number < bound || (*inclusive && number == bound)
        };
        self.lower.as_ref().is_none_or(is_above) && self.upper.as_ref().is_none_or(is_below)
    }
}

/// The bounds of a count, such as `minItems` and `maxItems`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The minimum count, if the schema sets one.
    pub at_least: Option<u32>,
    /// The maximum count, if the schema sets one.
    pub at_most: Option<u32>,
}

impl Count {
    /// Whether every count is allowed.
    pub fn is_none(self) -> bool {
        self.least() == 0 && self.at_most.is_none()
    }

    /// The minimum count.
    pub fn least(self) -> u32 {
        self.at_least.unwrap_or(0)
    }

    /// Adds the bounds of another schema for the same value. The tighter bounds are kept.
    pub fn add(&mut self, other: Self) {
        self.at_least = self.at_least.max(other.at_least);
        self.at_most = match (self.at_most, other.at_most) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
    }

    /// The bound that a count violates, in words; `None` if the count is allowed.
    pub(super) fn missed_by(self, count: usize) -> Option<String> {
        if self.contains(count) {
            return None;
        }
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        match self.at_most {
            Some(most) if count > most.into() => Some(format!("at most {most}")),
            _ => Some(format!("at least {}", self.least())),
        }
    }

    /// Whether a count is allowed.
    pub fn contains(self, count: usize) -> bool {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        u64::from(self.least()) <= count && self.at_most.is_none_or(|most| count <= most.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Count, Decimal};
    use crate::value::Value;

    fn decimal(value: impl Into<Value>) -> Decimal {
        Decimal::from_value(&value.into()).unwrap_or_default()
    }

    #[test]
    fn numbers_are_compared_by_all_digits() {
        let large = decimal(i128::from(u64::MAX));
        let mut bounds = Bounds::default();
        bounds.add_upper(large.clone(), true);
        assert!(bounds.contains(&large));
        assert!(!bounds.contains(&decimal(i128::from(u64::MAX) + 1)));
        assert!(decimal(-1.5) < decimal(-1.25) && decimal(-1) < decimal(0));
    }

    #[test]
    fn the_tighter_bound_is_kept() {
        let mut bounds = Bounds::default();
        bounds.add_lower(decimal(3), true);
        bounds.add_lower(decimal(3), false);
        bounds.add_lower(decimal(1), true);
        assert!(!bounds.contains(&decimal(3)) && bounds.contains(&decimal(4)));
        let mut count = Count { at_least: Some(2), at_most: None };
        count.add(Count { at_least: Some(1), at_most: Some(3) });
        assert!(count.contains(2) && !count.contains(1) && !count.contains(4));
    }
}
