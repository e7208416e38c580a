//! Numbers between bounds, as rules over their digits.
//!
//! The integers from 15 to 320 are split by their length, and at each digit at which a bound stops
//! to matter:
//!
//! ```text
//! 1[5-9] | [2-9][0-9] | [1-2][0-9]{2} | 3([0-1][0-9] | 20)
//! ```
//!
//! A fraction is read digit by digit, too. After the integer part of a bound, the next digits are
//! compared with those of the bound ([`DecimalBound`]); for numbers from 0.25, the digits after
//! `0.` are:
//!
//! ```text
//! 2([5][0-9]* | [6-9][0-9]*) | [3-9][0-9]*
//! ```

use super::basic::{MOST_DIGITS, digits, fraction, non_zero};
use crate::grammar::{CharacterClass, Expression};
use prompty_core::schema::{Bounds, Decimal};

/// The integers between two bounds.
pub(super) fn integer(bounds: &Bounds) -> Expression {
    // An `i128` cannot hold every bound. Then all integers that we write are above it, or all are
    // below.
    let lower = match &bounds.lower {
        Some((bound, included)) => match bound.ceiling() {
            Some(least) if bound.fraction.is_empty() && !included => Some(least.saturating_add(1)),
            None if !bound.negative => return Expression::NOTHING,
            least => least,
        },
        None => None,
    };
    let upper = match &bounds.upper {
        Some((bound, included)) => match bound.floor() {
            Some(most) if bound.fraction.is_empty() && !included => Some(most.saturating_sub(1)),
            None if bound.negative => return Expression::NOTHING,
            most => most,
        },
        None => None,
    };
    if lower.zip(upper).is_some_and(|(lower, upper)| lower > upper) {
        return Expression::NOTHING;
    }
    let mut ways = Vec::new();
    // Below zero, the bounds are swapped after the minus sign.
    if lower.is_none_or(|lower| lower < 0) {
        let least = upper.map_or(1, |upper| if upper < 0 { upper.unsigned_abs() } else { 1 });
        let most = lower.map(i128::unsigned_abs);
        ways.push(Expression::sequence(["-".into(), integers_between(least, most)]));
    }
    if upper.is_none_or(|upper| upper >= 0) {
        let least = lower.map_or(0, |lower| u128::try_from(lower).unwrap_or(0));
        let most = upper.map(i128::unsigned_abs);
        ways.push(integers_between(least, most));
    }
    Expression::choice(ways)
}

/// The integers from `least` to `most`, both included.
fn integers_between(least: u128, most: Option<u128>) -> Expression {
    let mut ways = Vec::new();
    let mut least = least;
    if least == 0 {
        if most == Some(0) {
            return "0".into();
        }
        // All numbers of one digit are one class, including zero.
        match most {
            Some(most) if most < 10 => return same_length(&[0], &digits_of(most)),
            _ => ways.push(digits(1, Some(1))),
        }
        least = 10;
    }
    let low = digits_of(least);
    match most.map(digits_of) {
        None => {
            ways.push(same_length(&low, &vec![9; low.len()]));
            push_lengths(low.len() + 1, MOST_DIGITS as usize, &mut ways);
        }
        Some(high) if high.len() == low.len() => ways.push(same_length(&low, &high)),
        Some(high) => {
            ways.push(same_length(&low, &vec![9; low.len()]));
            push_lengths(low.len() + 1, high.len() - 1, &mut ways);
            ways.push(same_length(&smallest(high.len()), &high));
        }
    }
    Expression::choice(ways)
}

/// Adds all numbers with a number of digits within these limits.
fn push_lengths(at_least: usize, at_most: usize, ways: &mut Vec<Expression>) {
    if at_least <= at_most {
        let count = |length: usize| u32::try_from(length.saturating_sub(1)).unwrap_or(u32::MAX);
        let rest = digits(count(at_least), Some(count(at_most)));
        ways.push(Expression::sequence([non_zero(), rest]));
    }
}

fn digits_of(number: u128) -> Vec<u8> {
    number.to_string().bytes().map(|byte| byte - b'0').collect()
}

/// The smallest number with this many digits.
fn smallest(length: usize) -> Vec<u8> {
    let mut digits = vec![0; length];
    if let Some(first) = digits.first_mut() {
        *first = 1;
    }
    digits
}

/// The numbers between two numbers with the same number of digits, both included: for `15` and
/// `37`, they are `1[5-9] | 2[0-9] | 3[0-7]`.
fn same_length(low: &[u8], high: &[u8]) -> Expression {
    let (Some((&first, low)), Some((&last, high))) = (low.split_first(), high.split_first()) else {
        return Expression::EMPTY;
    };
    let all_low = low.iter().all(|&digit| digit == 0);
    let all_high = high.iter().all(|&digit| digit == 9);
    if first > last {
        return Expression::NOTHING;
    }
    if first == last {
        return Expression::sequence([digit(first, last), same_length(low, high)]);
    }
    let (mut from, mut to) = (first, last);
    let mut ways = Vec::new();
    if !all_low {
        let rest = same_length(low, &vec![9; low.len()]);
        ways.push(Expression::sequence([digit(first, first), rest]));
        from += 1;
    }
    let mut end = None;
    if !all_high {
        let rest = same_length(&vec![0; high.len()], high);
        end = Some(Expression::sequence([digit(last, last), rest]));
        to = to.saturating_sub(1);
    }
    if from <= to {
        ways.push(Expression::sequence([digit(from, to), digits_exactly(low.len())]));
    }
    ways.extend(end);
    Expression::choice(ways)
}

fn digits_exactly(count: usize) -> Expression {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    digits(count, Some(count))
}

/// A digit from `first` to `last`.
fn digit(first: u8, last: u8) -> Expression {
    let character = |digit: u8| char::from(b'0' + digit.min(9));
    if first == last {
        return Expression::text(character(first).to_string());
    }
    CharacterClass::range(character(first), character(last)).into()
}

/// The numbers between two bounds, without exponents.
pub(super) fn number(bounds: &Bounds) -> Expression {
    let mut ways = Vec::new();
    if bounds.lower.as_ref().is_none_or(|(bound, _)| bound.negative) {
        let least = match &bounds.upper {
            Some((bound, included)) if bound.negative => (bound.negated(), *included),
            _ => (Decimal::default(), false),
        };
        let most = bounds.lower.as_ref().map(|(bound, included)| (bound.negated(), *included));
        ways.push(Expression::sequence(["-".into(), positive(&least, most.as_ref())]));
    }
    if bounds.upper.as_ref().is_none_or(|(bound, _)| !bound.negative) {
        let least = match &bounds.lower {
            Some((bound, included)) if !bound.negative => (bound.clone(), *included),
            _ => (Decimal::default(), true),
        };
        ways.push(positive(&least, bounds.upper.as_ref()));
    }
    Expression::choice(ways)
}

/// The numbers between two bounds, without a sign. The flag of each bound says whether it is
/// included.
fn positive(least: &(Decimal, bool), most: Option<&(Decimal, bool)>) -> Expression {
    let (low, low_included) = least;
    let Some(first) = low.floor() else { return Expression::NOTHING };
    let low_fraction = DecimalBound::low(&low.fraction, *low_included);
    let text = |integer_part: i128| Expression::text(integer_part.to_string());
    let between = |from: i128, to: Option<i128>| {
        let from = u128::try_from(from).unwrap_or(0);
        let integer_part = integers_between(from, to.map(i128::unsigned_abs));
        Expression::sequence([integer_part, fraction().optional()])
    };
    let next = first.saturating_add(1);
    let at_first =
        |high: DecimalBound<'_>| Expression::sequence([text(first), point(low_fraction, high)]);
    // No number that we write is above a bound that an `i128` cannot hold.
    match most.and_then(|(high, included)| Some((high, *included, high.floor()?))) {
        None => Expression::choice([at_first(DecimalBound::Free), between(next, None)]),
        Some((_, _, last)) if last < first => Expression::NOTHING,
        Some((high, included, last)) if last == first => {
            at_first(DecimalBound::Bound(&high.fraction, included))
        }
        Some((high, included, last)) => {
            let high = DecimalBound::Bound(&high.fraction, included);
            let mut ways = vec![at_first(DecimalBound::Free)];
            if next < last {
                ways.push(between(next, Some(last - 1)));
            }
            ways.push(Expression::sequence([text(last), point(DecimalBound::Free, high)]));
            Expression::choice(ways)
        }
    }
}

/// The bound on the next digits after the point, if all digits before are those of the bound.
#[derive(Debug, Clone, Copy)]
enum DecimalBound<'d> {
    /// Any digits.
    Free,
    /// The remaining digits of the bound. The flag says whether the bound itself is included.
    Bound(&'d [u8], bool),
}

impl<'d> DecimalBound<'d> {
    fn low(digits: &'d [u8], included: bool) -> Self {
        // Any digits after the last digit of an included lower bound are allowed.
        if digits.is_empty() && included { Self::Free } else { Self::Bound(digits, included) }
    }

    /// Whether the bound has digits left.
    fn has_digits(self) -> bool {
        matches!(self, Self::Bound(digits, _) if !digits.is_empty())
    }

    /// The next digit of the bound; zero after its last digit.
    fn next(self) -> Option<u8> {
        match self {
            Self::Free => None,
            Self::Bound(digits, _) => Some(digits.first().copied().unwrap_or(0)),
        }
    }

    /// The bound after its next digit.
    fn rest(self) -> Self {
        match self {
            Self::Free => Self::Free,
            // The second alternative is for a bound without digits left.
            Self::Bound([_, rest @ ..] | rest, included) => Self::Bound(rest, included),
        }
    }
}

/// The fraction after an integer part that is the integer part of the bounds.
fn point(low: DecimalBound<'_>, high: DecimalBound<'_>) -> Expression {
    let fraction_part = Expression::sequence([".".into(), decimals(low, high, true)]);
    if may_end(low, high) { fraction_part.optional() } else { fraction_part }
}

/// Whether a number may end here, if its digits so far are those of the bounds. It is below the low
/// bound if that has more digits, and equal to a bound that has none. The last digit of a bound is
/// not zero.
fn may_end(low: DecimalBound<'_>, high: DecimalBound<'_>) -> bool {
    let low = match low {
        DecimalBound::Free => true,
        DecimalBound::Bound(digits, included) => digits.is_empty() && included,
    };
    let high = match high {
        DecimalBound::Free => true,
        DecimalBound::Bound(digits, included) => !digits.is_empty() || included,
    };
    low && high
}

/// The digits that may follow, if all digits before are those of the bounds.
fn decimals(low: DecimalBound<'_>, high: DecimalBound<'_>, one_at_least: bool) -> Expression {
    let least = u32::from(one_at_least);
    let zeros = |at_least: u32| Expression::text("0").repeated(at_least, Some(MOST_DIGITS));
    if !low.has_digits() && !high.has_digits() {
        // All further digits of the bounds are zeros.
        let above = Expression::sequence([zeros(0), non_zero(), digits(0, Some(MOST_DIGITS))]);
        return match (low, high) {
            (DecimalBound::Free | DecimalBound::Bound(_, true), DecimalBound::Free) => {
                digits(least, Some(MOST_DIGITS))
            }
            (DecimalBound::Bound(_, false), DecimalBound::Free) => above,
            (DecimalBound::Free | DecimalBound::Bound(_, true), DecimalBound::Bound(_, true)) => {
                zeros(least)
            }
            (DecimalBound::Bound(_, false), DecimalBound::Bound(..))
            | (_, DecimalBound::Bound(_, false)) => Expression::NOTHING,
        };
    }
    // The next digit is that of the low bound, that of the high bound, or between them. Between
    // them, any digits may follow.
    let (from, to) = (low.next(), high.next());
    let (first, last) = (from.unwrap_or(0), to.unwrap_or(9));
    let mut ways = Vec::new();
    if first == last && from.is_some() && to.is_some() {
        ways.push((first, first, decimals(low.rest(), high.rest(), false)));
    } else if first <= last {
        let (mut inner_first, mut inner_last) = (first, last);
        if from.is_some() {
            ways.push((first, first, decimals(low.rest(), DecimalBound::Free, false)));
            inner_first += 1;
        }
        if to.is_some() {
            ways.push((last, last, decimals(DecimalBound::Free, high.rest(), false)));
            // Below zero there is no digit; the result is above 9.
            inner_last = inner_last.wrapping_sub(1);
        }
        if inner_first <= inner_last && inner_last <= 9 {
            ways.push((inner_first, inner_last, digits(0, Some(MOST_DIGITS))));
        }
    }
    let ways = ways
        .into_iter()
        .map(|(first, last, rest)| Expression::sequence([digit(first, last), rest]));
    let all = Expression::choice(ways);
    if !one_at_least && may_end(low, high) { all.optional() } else { all }
}
