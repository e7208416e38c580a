//! Compares values in the conditions of compiled prompts, by the rules of the template engine.
//!
//! For `{% if item.count > 3 %}`, generated code calls [`order`], which converts both sides with
//! [`ToScalar`] and compares the [`Scalar`]s.

use std::cmp::Ordering;

use super::filters::{Either, OrElse};
use super::pointers::for_pointers;
use super::{Each, Print};
use prompty_core::value::{Map, Value};

/// A value in a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scalar<'a> {
    /// An input that is not given.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i128),
    /// A number.
    Float(f64),
    /// A string.
    Text(&'a str),
    /// A list or a map.
    Collection(&'a Value),
}

impl Scalar<'_> {
    /// `==`: numbers are compared by value, whatever their types are; `true` equals `1`.
    pub fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            // `1.0 == 1`
            (Self::Float(a), b) | (b, Self::Float(a)) => b.as_float() == Some(a),
            (Self::Collection(a), Self::Collection(b)) => collection_equals(a, b),
            // `1 == true`. Values of other kinds, such as a string and a number, are not equal.
            (a, b) => a.as_integer().is_some() && a.as_integer() == b.as_integer(),
        }
    }

    /// The order of two values: first by their kinds, then by their values.
    pub fn order(self, other: Self) -> Ordering {
        let by_kind = self.kind_rank().cmp(&other.kind_rank());
        if by_kind != Ordering::Equal {
            return by_kind;
        }
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => float_order(a, b),
            (Self::Float(a), Self::Integer(b)) => mixed_order(a, b),
            (Self::Integer(a), Self::Float(b)) => mixed_order(b, a).reverse(),
            (Self::Collection(a), Self::Collection(b)) => collection_order(a, b),
            // Two integers or booleans; `None` for two missing values, which are equal.
            (a, b) => a.as_integer().cmp(&b.as_integer()),
        }
    }

    /// The position of the value's kind in the order of values of different kinds.
    fn kind_rank(self) -> u8 {
        match self {
            Self::Undefined => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Integer(_) | Self::Float(_) => 3,
            Self::Text(_) => 4,
            // Lists come before maps.
            Self::Collection(Value::Object(_)) => 6,
            Self::Collection(_) => 5,
        }
    }

    fn is_missing(self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    fn as_integer(self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(i128::from(value)),
            Self::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The number as a float, if the conversion is exact.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked")]
    fn as_float(self) -> Option<f64> {
        if let Self::Float(number) = self {
            return Some(number);
        }
        let number = self.as_integer()?;
        let float = number as f64;
        (float as i128 == number).then_some(float)
    }

    /// The number as an integer, if it has no fraction.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked")]
    fn as_integral(self) -> Option<i128> {
        match self {
            Self::Float(number) => {
                let integer = number as i64;
                (integer as f64 == number).then_some(i128::from(integer))
            }
            other => other.as_integer(),
        }
    }
}

/// The order of floats. `0` equals `-0`, and NaN comes last.
fn float_order(a: f64, b: f64) -> Ordering {
    if a == b { Ordering::Equal } else { a.total_cmp(&b) }
}

/// The exact order of a float and an integer. Neighbouring integers may have the same float: for
/// 2^53 as a float and the integer 2^53 + 1, only the comparison as integers gives `Less`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked")]
fn mixed_order(float: f64, integer: i128) -> Ordering {
    let order = float_order(float, integer as f64);
    if order != Ordering::Equal || !float.is_finite() {
        return order;
    }
    if float >= i128::MAX as f64 {
        return Ordering::Greater;
    }
    // The float is as large as the integer, so the conversion of its integral part is exact.
    let truncated = float.trunc();
    (truncated as i128).cmp(&integer).then_with(|| float_order(float, truncated))
}

fn collection_equals(a: &Value, b: &Value) -> bool {
    let equal = |a: &Value, b: &Value| a.to_scalar().equals(b.to_scalar());
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has = |(name, value)| b.get(name).is_some_and(|other| equal(value, other));
            a.len() == b.len() && a.iter().all(has)
        }
        _ => false,
    }
}

fn collection_order(a: &Value, b: &Value) -> Ordering {
    let order = |a: &Value, b: &Value| a.to_scalar().order(b.to_scalar());
    let unequal = |order: &Ordering| *order != Ordering::Equal;
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            let mut orders = a.iter().zip(b.iter()).map(|(a, b)| order(a, b));
            orders.find(unequal).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            let entries = a.iter().zip(b.iter());
            let mut orders = entries.map(|(a, b)| a.0.cmp(b.0).then_with(|| order(a.1, b.1)));
            orders.find(unequal).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => Ordering::Equal,
    }
}

/// A type whose values can be compared: `{% if order.count > 3 %}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared",
    label = "the template compares a `{Self}`",
    note = "strings, numbers, booleans and `Option`s of them can be compared"
)]
pub trait ToScalar {
    /// Converts the value for a comparison.
    fn to_scalar(&self) -> Scalar<'_>;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl ToScalar for $integer {
            fn to_scalar(&self) -> Scalar<'_> {
                // Only a `u128` can be too large.
                Scalar::Integer(i128::try_from(*self).unwrap_or(i128::MAX))
            }
        }

        impl ToScalar for std::num::NonZero<$integer> {
            fn to_scalar(&self) -> Scalar<'_> {
                Scalar::Integer(i128::try_from(self.get()).unwrap_or(i128::MAX))
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! scalars {
    ($($type:ty: |$value:ident| $scalar:expr;)*) => {$(
        impl ToScalar for $type {
            fn to_scalar(&self) -> Scalar<'_> {
                let $value = self;
                $scalar
            }
        }
    )*};
}

scalars! {
    bool: |value| Scalar::Bool(*value);
    f32: |number| Scalar::Float(f64::from(*number));
    f64: |number| Scalar::Float(*number);
    str: |text| Scalar::Text(text);
    String: |text| Scalar::Text(text);
    ComputedText: |text| Scalar::Text(&text.0);
    Scalar<'_>: |scalar| *scalar;
}

impl<T: ToScalar> ToScalar for Option<T> {
    fn to_scalar(&self) -> Scalar<'_> {
        self.as_ref().map_or(Scalar::Null, ToScalar::to_scalar)
    }
}

for_pointers! { ToScalar {
    fn to_scalar(&self) -> Scalar<'_> {
        (**self).to_scalar()
    }
} }

impl ToScalar for Value {
    fn to_scalar(&self) -> Scalar<'_> {
        match self {
            Self::Null => Scalar::Null,
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Integer(number) => Scalar::Integer(*number),
            Self::Float(number) => Scalar::Float(*number),
            Self::String(text) => Scalar::Text(text),
            Self::Array(_) | Self::Object(_) => Scalar::Collection(self),
        }
    }
}

/// An optional value in a comparison. `None` is undefined.
#[derive(Debug, Clone, Copy)]
pub struct OptionalScalar<T>(pub Option<T>);

impl<T: ToScalar> ToScalar for OptionalScalar<T> {
    fn to_scalar(&self) -> Scalar<'_> {
        self.0.as_ref().map_or(Scalar::Undefined, ToScalar::to_scalar)
    }
}

/// An optional value in a comparison, with the default that replaces `None`.
#[derive(Debug, Clone, Copy)]
pub struct ScalarOrDefault<T, F>(pub Option<T>, pub F);

impl<T: ToScalar, F: ToScalar> ToScalar for ScalarOrDefault<T, F> {
    fn to_scalar(&self) -> Scalar<'_> {
        self.0.as_ref().map_or_else(|| self.1.to_scalar(), ToScalar::to_scalar)
    }
}

impl<T: ToScalar, F: ToScalar> ToScalar for OrElse<T, F> {
    fn to_scalar(&self) -> Scalar<'_> {
        let value = self.0.as_ref().map_or(Scalar::Undefined, ToScalar::to_scalar);
        if value.is_missing() { self.1.to_scalar() } else { value }
    }
}

impl<A: ToScalar, B: ToScalar> ToScalar for Either<A, B> {
    fn to_scalar(&self) -> Scalar<'_> {
        match self {
            Self::Left(value) => value.to_scalar(),
            Self::Right(value) => value.to_scalar(),
        }
    }
}

/// The result of a filter, which is compared as a string.
#[derive(Debug, Clone)]
pub struct ComputedText(String);

impl ComputedText {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }
}

/// Converts a value into the text that it prints, for a comparison.
pub fn computed(value: impl Print) -> ComputedText {
    ComputedText(value.text().into_owned())
}

impl Length for ComputedText {
    fn length(&self) -> usize {
        self.0.length()
    }
}

/// `left == right`
pub fn equal<A: ToScalar + ?Sized, B: ToScalar + ?Sized>(left: &A, right: &B) -> bool {
    left.to_scalar().equals(right.to_scalar())
}

/// The order of `left` and `right`.
pub fn order<A: ToScalar + ?Sized, B: ToScalar + ?Sized>(left: &A, right: &B) -> Ordering {
    left.to_scalar().order(right.to_scalar())
}

/// The tests of a value's kind.
pub mod kind_tests {
    use super::{Scalar, ToScalar};

    /// `value is string`
    pub fn string<T: ToScalar + ?Sized>(value: &T) -> bool {
        matches!(value.to_scalar(), Scalar::Text(_))
    }

    /// `value is number`; booleans count as numbers.
    pub fn number<T: ToScalar + ?Sized>(value: &T) -> bool {
        matches!(value.to_scalar(), Scalar::Bool(_) | Scalar::Integer(_) | Scalar::Float(_))
    }

    /// `value is boolean`
    pub fn boolean<T: ToScalar + ?Sized>(value: &T) -> bool {
        matches!(value.to_scalar(), Scalar::Bool(_))
    }

    /// `value is odd`
    pub fn odd<T: ToScalar + ?Sized>(value: &T) -> bool {
        value.to_scalar().as_integral().is_some_and(|number| number % 2 != 0)
    }

    /// `value is even`
    pub fn even<T: ToScalar + ?Sized>(value: &T) -> bool {
        value.to_scalar().as_integral().is_some_and(|number| number % 2 == 0)
    }
}

/// A type that has a length: `{{ passages | length }}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "the template uses the length of a `{Self}`",
    note = "strings, lists, maps and `Option`s of them have a length"
)]
pub trait Length {
    /// The number of characters, items or entries.
    fn length(&self) -> usize;
}

impl Length for str {
    fn length(&self) -> usize {
        self.chars().count()
    }
}

impl Length for String {
    fn length(&self) -> usize {
        self.as_str().length()
    }
}

macro_rules! collections {
    ($([$($parameters:tt)*] $collection:ty;)*) => {$(
        impl<$($parameters)*> Length for $collection {
            fn length(&self) -> usize {
                self.len()
            }
        }
    )*};
}

collections! {
    [] Map;
    [T] [T];
    [T] Vec<T>;
    [T] std::collections::VecDeque<T>;
    [T] std::collections::BTreeSet<T>;
    [T, const N: usize] [T; N];
    [T, S] std::collections::HashSet<T, S>;
    [K, V] std::collections::BTreeMap<K, V>;
    [K, V, S] std::collections::HashMap<K, V, S>;
}

impl<T: Length> Length for Option<T> {
    fn length(&self) -> usize {
        self.as_ref().map_or(0, Length::length)
    }
}

for_pointers! { Length {
    fn length(&self) -> usize {
        (**self).length()
    }
} }

impl Length for Value {
    fn length(&self) -> usize {
        match self {
            Self::String(text) => text.length(),
            Self::Array(items) => items.len(),
            Self::Object(map) => map.len(),
            _ => 0,
        }
    }
}

/// Whether an item of a list equals a value: `'x' in list`. `to_comparable` converts an item for
/// the comparison.
pub fn list_contains<'a, T: Each + ?Sized + 'a, S: ToScalar, V: ToScalar + ?Sized>(
    list: Option<&'a T>,
    value: &V,
    to_comparable: impl Fn(&'a T::Item) -> S,
) -> bool {
    let value = value.to_scalar();
    let mut items = list.into_iter().flat_map(Each::each);
    items.any(|item| to_comparable(item).to_scalar().equals(value))
}

/// Whether a string contains the printed form of a value: `'x' in text`.
pub fn text_contains<T: Print + ?Sized, V: ToScalar + ?Sized>(text: Option<&T>, value: &V) -> bool {
    text.is_some_and(|text| Scalar::Text(&text.text()).contains(value.to_scalar()))
}

/// `value in container`, for two values of any kind.
pub fn contains<T: ToScalar + ?Sized, V: ToScalar + ?Sized>(container: &T, value: &V) -> bool {
    container.to_scalar().contains(value.to_scalar())
}

impl Scalar<'_> {
    /// Whether this value contains another. A string contains what a value prints, a list contains
    /// an equal value, and a map contains a key. Other values contain nothing.
    fn contains(self, value: Scalar<'_>) -> bool {
        match (self, value) {
            (Self::Text(text), Scalar::Text(part)) => text.contains(part),
            (Self::Text(text), part) => text.contains(&part.printed()),
            (Self::Collection(Value::Array(items)), value) => {
                items.iter().any(|item| item.to_scalar().equals(value))
            }
            (Self::Collection(Value::Object(map)), Scalar::Text(name)) => map.contains_key(name),
            _ => false,
        }
    }

    /// The text that the value prints.
    fn printed(self) -> String {
        match self {
            Self::Undefined | Self::Null => String::new(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => number.text().into_owned(),
            Self::Text(text) => text.to_owned(),
            Self::Collection(value) => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_whatever_their_type() {
        assert!(1u8.to_scalar().equals(1.0f64.to_scalar()));
        assert!(true.to_scalar().equals(1.to_scalar()));
        assert!(!"1".to_scalar().equals(1.to_scalar()));
        assert!(!Scalar::Undefined.equals(Scalar::Null));
    }

    #[test]
    fn values_are_ordered_by_kind_and_then_by_value() {
        let list = Value::from(vec![1]);
        let ordered = [
            Scalar::Undefined,
            Scalar::Null,
            Scalar::Bool(false),
            Scalar::Bool(true),
            Scalar::Integer(-1),
            Scalar::Float(0.5),
            Scalar::Integer(1),
            Scalar::Text("a"),
            Scalar::Text("b"),
            Scalar::Collection(&list),
        ];
        for (index, value) in ordered.iter().enumerate() {
            for (other, than) in ordered.iter().enumerate() {
                assert_eq!(value.order(*than), index.cmp(&other), "{value:?} {than:?}");
            }
        }
    }

    #[test]
    fn large_numbers_are_compared_exactly() {
        let (odd, float) = (Scalar::Integer((1 << 53) + 1), Scalar::Float(9_007_199_254_740_992.0));
        assert!(!odd.equals(float));
        assert_eq!(odd.order(float), Ordering::Greater);
        assert_eq!(Scalar::Float(1e300).order(Scalar::Integer(i128::MAX)), Ordering::Greater);
    }

    #[test]
    fn zeros_are_equal_and_nan_is_ordered_last() {
        assert_eq!(Scalar::Float(-0.0).order(Scalar::Float(0.0)), Ordering::Equal);
        assert_eq!(Scalar::Float(f64::NAN).order(Scalar::Integer(1)), Ordering::Greater);
        assert!(!Scalar::Float(f64::NAN).equals(Scalar::Float(f64::NAN)));
    }

    #[test]
    fn lists_and_maps_are_compared_by_their_contents() {
        let list = |items: &[i32]| Value::from(items.to_vec());
        assert!(equal(&list(&[1, 2]), &list(&[1, 2])));
        assert!(!equal(&list(&[]), &Value::from(Map::new())));
        assert_eq!(order(&list(&[1]), &list(&[1, 0])), Ordering::Less);
    }

    #[test]
    fn a_string_contains_what_a_value_prints() {
        assert!(contains("1, true", &1.0));
        assert!(contains("1, true", &true));
        assert!(contains("", &None::<i32>));
        assert!(!contains(&5, &5));
    }
}
