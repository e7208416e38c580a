//! Bounds of numbers as the digits that they are written with.

use std::cmp::Ordering;

use prompty_core::value::Value;

/// A number in decimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    /// The digits in front of the point, without zeros that lead: none for zero.
    pub(super) whole: Vec<u8>,
    /// The digits behind it, without zeros at the end.
    pub(super) fraction: Vec<u8>,
}

impl Decimal {
    /// The number; nothing where the value is none, or no finite one.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let written = match value {
            Value::Integer(integer) => integer.to_string(),
            Value::Float(float) if float.is_finite() => float.to_string(),
            _ => return None,
        };
        let (negative, written) = match written.strip_prefix('-') {
            Some(written) => (true, written),
            None => (false, written.as_str()),
        };
        let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
        let whole = whole.trim_start_matches('0').bytes().map(|byte| byte - b'0').collect();
        let fraction = fraction.trim_end_matches('0').bytes().map(|byte| byte - b'0').collect();
        let mut decimal = Self { negative, whole, fraction };
        decimal.negative &= !decimal.is_zero();
        Some(decimal)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// The same on the other side of zero.
    pub(super) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// The largest integer that is not above it; nothing where it has more digits than we count.
    pub(super) fn floor(&self) -> Option<i128> {
        let digits: String =
            self.whole.iter().filter_map(|&digit| char::from_digit(digit.into(), 10)).collect();
        let whole: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        match (self.negative, self.fraction.is_empty()) {
            (false, _) => Some(whole),
            (true, true) => Some(-whole),
            (true, false) => Some(-whole - 1),
        }
    }

    /// The smallest integer that is not below it.
    pub(super) fn ceiling(&self) -> Option<i128> {
        self.negated().floor().map(|floor| -floor)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitudes = || {
            let lengths = self.whole.len().cmp(&other.whole.len());
            lengths
                .then_with(|| (&self.whole, &self.fraction).cmp(&(&other.whole, &other.fraction)))
        };
        match (self.negative, other.negative) {
            (false, false) => magnitudes(),
            (true, true) => magnitudes().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// Which numbers are meant: between two bounds, each with whether it is meant itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bounds {
    pub(super) lower: Option<(Decimal, bool)>,
    pub(super) upper: Option<(Decimal, bool)>,
}

impl Bounds {
    pub(super) fn is_none(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// Adds a lower bound; the tighter one counts.
    pub(super) fn above(&mut self, bound: Decimal, inclusive: bool) {
        let is_tighter = self.lower.as_ref().is_none_or(|(known, known_inclusive)| {
            bound > *known || (bound == *known && *known_inclusive)
        });
        if is_tighter {
            self.lower = Some((bound, inclusive));
        }
    }

    /// Adds an upper bound; the tighter one counts.
    pub(super) fn below(&mut self, bound: Decimal, inclusive: bool) {
        let is_tighter = self.upper.as_ref().is_none_or(|(known, known_inclusive)| {
            bound < *known || (bound == *known && *known_inclusive)
        });
        if is_tighter {
            self.upper = Some((bound, inclusive));
        }
    }

    /// Whether a number is meant.
    pub(super) fn contains(&self, number: &Decimal) -> bool {
        let above = self
            .lower
            .as_ref()
            .is_none_or(|(bound, inclusive)| number > bound || (*inclusive && number == bound));
        let below = self
            .upper
            .as_ref()
            .is_none_or(|(bound, inclusive)| number < bound || (*inclusive && number == bound));
        above && below
    }
}
