//! How the code of a compiled prompt reads a field, which may be an `Option`, printable, or neither.
//!
//! The macros do not know the types of fields. They write the same method call for each, and Rust's
//! method lookup chooses: it tries inherent methods first, then traits on fewer references. So each
//! trait here stands for one kind of type, and the kind with the most references is tried first.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use super::{Each, Length, Print, ToScalar, ToValue, Truth};
use prompty_core::value::{Map, Value};

/// A field that a template reads. The generated code is the same whether its type is an `Option` or
/// not: Rust finds the inherent methods for `Option` before the methods of [`PlainPlace`].
#[derive(Debug)]
pub struct Place<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Place<'a, Option<T>> {
    /// The value in the `Option`.
    #[inline]
    pub fn get(self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

/// [`Place::get`] for types that are no `Option`.
pub trait PlainPlace<'a, T: ?Sized> {
    /// The value itself.
    fn get(self) -> Option<&'a T>;
}

impl<'a, T: ?Sized> PlainPlace<'a, T> for Place<'a, T> {
    #[inline]
    fn get(self) -> Option<&'a T> {
        Some(self.0)
    }
}

/// Truthiness of an `Option` in a condition, where the type inside implements [`Truth`].
pub trait OptionTruth {
    /// Whether there is a value and it is true.
    fn asked(&self) -> &'static bool;
}

impl<T: Truth> OptionTruth for &&Place<'_, Option<T>> {
    fn asked(&self) -> &'static bool {
        if self.0.as_ref().is_some_and(Truth::truth) { &true } else { &false }
    }
}

/// Truthiness of an `Option` in a condition, where the type inside does not implement [`Truth`].
pub trait PresenceTruth {
    /// Whether there is a value.
    fn asked(&self) -> &'static bool;
}

impl<T> PresenceTruth for &Place<'_, Option<T>> {
    fn asked(&self) -> &'static bool {
        if self.0.is_some() { &true } else { &false }
    }
}

/// Truthiness of any other type in a condition.
pub trait PlainTruth<'a, T: ?Sized> {
    /// The value itself; the place of the condition requires [`Truth`] of it.
    fn asked(&self) -> &'a T;
}

impl<'a, T: ?Sized> PlainTruth<'a, T> for Place<'a, T> {
    fn asked(&self) -> &'a T {
        self.0
    }
}

/// A map whose entries a template names or loops over.
pub trait Entries {
    /// The type of the values.
    type Entry;

    /// The value of a name; `None` where the map does not have it.
    fn entry(&self, name: &str) -> Option<&Self::Entry>;

    /// Names and values, in order.
    fn entries(&self) -> impl Iterator<Item = (&str, &Self::Entry)>;
}

impl<K: AsRef<str> + Borrow<str> + Ord, V> Entries for BTreeMap<K, V> {
    type Entry = V;

    fn entry(&self, name: &str) -> Option<&V> {
        self.get(name)
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &V)> {
        self.iter().map(|(name, value)| (name.as_ref(), value))
    }
}

impl<T: Entries + ?Sized> Entries for &T {
    type Entry = T::Entry;

    fn entry(&self, name: &str) -> Option<&T::Entry> {
        (**self).entry(name)
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &T::Entry)> {
        (**self).entries()
    }
}

impl Entries for Value {
    type Entry = Value;

    fn entry(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.as_object().into_iter().flat_map(Map::iter)
    }
}

/// The test `none` on a printable value.
pub trait PrintedMissing {
    /// Whether the value is missing.
    fn is_missing(&self) -> bool;
}

impl<T: Print + ?Sized> PrintedMissing for &&Place<'_, T> {
    fn is_missing(&self) -> bool {
        self.0.is_null()
    }
}

/// The test `none` on an `Option` of any other type.
pub trait OptionMissing {
    /// Whether the value is missing.
    fn is_missing(&self) -> bool;
}

impl<T> OptionMissing for &Place<'_, Option<T>> {
    fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

/// The test `none` on a type that is no `Option` and does not print: such a value is always there.
pub trait NeverMissing {
    /// Always `false`.
    fn is_missing(&self) -> bool {
        false
    }
}

impl<T: ?Sized> NeverMissing for Place<'_, T> {}

macro_rules! tiers {
    ($(#[doc = $doc:literal])+ $method:ident: $bound:ident, $fast:ident, $slow:ident, $none:ident) => {
        $(#[doc = $doc])+
        pub trait $fast<'a> {
            /// The value itself.
            type Given: 'a;

            /// The value itself.
            fn $method(&self) -> Self::Given;
        }

        impl<'a, T: $bound + ?Sized> $fast<'a> for &&Place<'a, T> {
            type Given = &'a T;

            #[inline]
            fn $method(&self) -> &'a T {
                self.0
            }
        }

        /// The same for a type that implements only `ToValue`.
        pub trait $slow {
            /// The value as the engine would see it.
            fn $method(&self) -> Value;
        }

        impl<T: ToValue + ?Sized> $slow for &Place<'_, T> {
            fn $method(&self) -> Value {
                self.0.to_value()
            }
        }

        /// The same for a type that implements neither. Another line of the generated code reports
        /// that as an error.
        pub trait $none {
            /// `null`.
            fn $method(&self) -> Value;
        }

        impl<T: ?Sized> $none for Place<'_, T> {
            fn $method(&self) -> Value {
                Value::Null
            }
        }
    };
}

tiers! {
    /// How a value is printed: by its own `Print`, or by way of `ToValue`.
    printable: Print, Printable, PrintableValue, NotPrintable
}

tiers! {
    /// How a value is compared: by its own `ToScalar`, or by way of `ToValue`.
    comparable: ToScalar, Comparable, ComparableValue, NotComparable
}

tiers! {
    /// How a value is measured: by its own `Length`, or by way of `ToValue`.
    measurable: Length, Measurable, MeasurableValue, NotMeasurable
}

tiers! {
    /// How the entries of a value are read: by its own `Entries`, or by way of `ToValue`.
    mapped: Entries, Mapped, MappedValue, NotMapped
}

/// Calls a function with each item of a list.
#[inline]
pub fn each<T: Each + ?Sized>(list: &T, each: impl FnMut(&T::Item)) {
    list.each().for_each(each);
}

/// Adds up the sizes of all that a compiled prompt would write. It takes the place of a
/// [`MessageWriter`](super::MessageWriter).
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizer {
    bytes: usize,
}

impl Sizer {
    /// The bytes counted so far.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Text of the template.
    #[inline]
    pub fn literal(&mut self, text: &str) {
        self.bytes += text.len();
    }

    /// A value, as it prints.
    #[inline]
    pub fn value<T: Print + ?Sized>(&mut self, value: &T) {
        self.bytes += value.size_hint();
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows as often as it may have to")]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_through_and_asked_for_what_they_hold() {
        struct Opaque;
        assert_eq!(Place(&Some(1)).get(), Some(&1));
        assert_eq!(Place(&1).get(), Some(&1));
        assert!(!(&&&Place(&Some(""))).asked());
        assert!((&&&Place(&Some("x"))).asked());
        assert!((&&&Place(&Some(Opaque))).asked());
        assert!(!(&&&Place(&None::<Opaque>)).asked());
        assert_eq!((&&&Place("x")).asked(), "x");
        assert!((&&&Place(&None::<Opaque>)).is_missing());
        assert!((&&&Place(&Value::Null)).is_missing());
        assert!(!(&&&Place(&Opaque)).is_missing());
    }

    #[test]
    fn a_value_without_a_way_of_its_own_to_print_prints_by_its_value() {
        struct Point(i32);
        impl ToValue for Point {
            fn to_value(&self) -> Value {
                Value::from(vec![self.0])
            }
        }
        assert_eq!((&&&Place("x")).printable().text(), "x");
        assert_eq!((&&&Place(&Point(1))).printable().text(), "[1]");
        let point = (&&&Place(&Point(1))).comparable();
        assert!(crate::typed::scalar::equal(&point, &Value::from(vec![1])));
    }
}
