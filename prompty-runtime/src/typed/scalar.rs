//! Values that conditions of compiled prompts compare, by the rules of the template engine.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use super::{Each, Print};
use crate::value::{Map, Value};

/// A value that can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scalar<'a> {
    /// What is not given.
    Undefined,
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number.
    Float(f64),
    /// A text.
    Text(&'a str),
}

impl Scalar<'_> {
    /// `==`: numbers by their value, whatever their type; `true` is `1`.
    pub fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Float(a), b) | (b, Self::Float(a)) => b.as_float() == Some(a),
            (a, b) => a.as_integer().is_some() && a.as_integer() == b.as_integer(),
        }
    }

    /// The order of two values: first by their kind, then by what they are.
    pub fn order(self, other: Self) -> Ordering {
        let by_kind = self.kind().cmp(&other.kind());
        if by_kind != Ordering::Equal {
            return by_kind;
        }
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Float(_), _) | (_, Self::Float(_)) => {
                let (a, b) = (self.as_float().unwrap_or(0.0), other.as_float().unwrap_or(0.0));
                a.partial_cmp(&b).unwrap_or_else(|| a.total_cmp(&b))
            }
            (a, b) => a.as_integer().cmp(&b.as_integer()),
        }
    }

    fn kind(self) -> u8 {
        match self {
            Self::Undefined => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Integer(_) | Self::Float(_) => 3,
            Self::Text(_) => 4,
        }
    }

    fn as_integer(self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(i128::from(value)),
            Self::Integer(number) => Some(number),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float is compared as a float")]
    fn as_float(self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(number),
            other => other.as_integer().map(|number| number as f64),
        }
    }
}

/// A type whose values conditions can compare: `{% if order.count > 3 %}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared",
    label = "the template compares a `{Self}`",
    note = "texts, numbers, booleans and `Option`s of them can be compared"
)]
pub trait ToScalar {
    /// The value as one that can be compared.
    fn to_scalar(&self) -> Scalar<'_>;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl ToScalar for $integer {
            fn to_scalar(&self) -> Scalar<'_> {
                Scalar::Integer(i128::try_from(*self).unwrap_or(i128::MAX))
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize);

impl ToScalar for bool {
    fn to_scalar(&self) -> Scalar<'_> {
        Scalar::Bool(*self)
    }
}

impl ToScalar for f32 {
    fn to_scalar(&self) -> Scalar<'_> {
        Scalar::Float(f64::from(*self))
    }
}

impl ToScalar for f64 {
    fn to_scalar(&self) -> Scalar<'_> {
        Scalar::Float(*self)
    }
}

impl ToScalar for str {
    fn to_scalar(&self) -> Scalar<'_> {
        Scalar::Text(self)
    }
}

impl ToScalar for String {
    fn to_scalar(&self) -> Scalar<'_> {
        Scalar::Text(self)
    }
}

impl<T: ToScalar> ToScalar for Option<T> {
    fn to_scalar(&self) -> Scalar<'_> {
        self.as_ref().map_or(Scalar::Null, ToScalar::to_scalar)
    }
}

impl<T: ToScalar + ToOwned + ?Sized> ToScalar for Cow<'_, T> {
    fn to_scalar(&self) -> Scalar<'_> {
        (**self).to_scalar()
    }
}

macro_rules! pointers {
    ($trait:ident, $method:ident, $result:ty, $($pointer:ty)*) => {$(
        impl<T: $trait + ?Sized> $trait for $pointer {
            fn $method(&self) -> $result {
                (**self).$method()
            }
        }
    )*};
}

pointers!(ToScalar, to_scalar, Scalar<'_>, &T Box<T> Rc<T> Arc<T>);

impl ToScalar for Value {
    /// Lists and maps cannot be compared; they are as good as nothing.
    fn to_scalar(&self) -> Scalar<'_> {
        match self {
            Self::Null => Scalar::Null,
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Integer(number) => Scalar::Integer(*number),
            Self::Float(number) => Scalar::Float(*number),
            Self::String(text) => Scalar::Text(text),
            _ => Scalar::Undefined,
        }
    }
}

/// A type that has a length: `{{ passages | length }}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "the template asks for the length of a `{Self}`",
    note = "texts, lists, maps and `Option`s of them have a length"
)]
pub trait Length {
    /// How many characters, items or entries there are.
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
    ($([$($parameter:ident)*] $collection:ty;)*) => {$(
        impl<$($parameter),*> Length for $collection {
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
    [T S] std::collections::HashSet<T, S>;
    [K V] std::collections::BTreeMap<K, V>;
    [K V S] std::collections::HashMap<K, V, S>;
}

impl<T, const N: usize> Length for [T; N] {
    fn length(&self) -> usize {
        N
    }
}

impl<T: Length> Length for Option<T> {
    fn length(&self) -> usize {
        self.as_ref().map_or(0, Length::length)
    }
}

impl<T: Length + ToOwned + ?Sized> Length for Cow<'_, T> {
    fn length(&self) -> usize {
        (**self).length()
    }
}

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

pointers!(Length, length, usize, &T Box<T> Rc<T> Arc<T>);

/// Whether one of the items equals a value: `'x' in list`.
pub fn contains<T: Each + ?Sized>(list: &T, value: Scalar<'_>) -> bool
where
    T::Item: ToScalar,
{
    list.each().any(|item| item.to_scalar().equals(value))
}

/// Whether a text stands in another: `'x' in text`.
pub fn contains_text<T: Print + ?Sized>(text: &T, value: Scalar<'_>) -> bool {
    match value {
        Scalar::Text(part) => text.text().contains(part),
        _ => false,
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
    fn values_are_ordered_by_kind_and_then_by_what_they_are() {
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
        ];
        for (index, value) in ordered.iter().enumerate() {
            for (other, than) in ordered.iter().enumerate() {
                assert_eq!(value.order(*than), index.cmp(&other), "{value:?} {than:?}");
            }
        }
    }
}
