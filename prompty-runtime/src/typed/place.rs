//! Reads the fields of a prompt in compiled code. The type of a field may be an `Option`,
//! printable, or neither.
//!
//! The macros do not know the types of fields, so they generate the same method call for every
//! field, and Rust's method lookup chooses the implementation: it tries inherent methods first, and
//! then the traits of types with fewer references. Each trait here therefore covers one kind of
//! type: a tier. A trait that is implemented for more references (`&&Place`) is found first.
//!
//! For example, generated code calls `(&&&&&&Place(&self.name)).printable()`. rustc tries these
//! traits from top to bottom, and takes the first one whose bound holds:
//!
//! ```text
//! &&&&&Place<T>        T: Print                       Printable
//! &&&&Place<T>         T: ToValue                     PrintableValue
//! &&&Place<T>          T: Data                        PrintableData        (module `data`)
//! &&Place<Option<T>>   T: Data                        PrintableDataOption
//! &&Place<T>           T: Each<Item: Data>            PrintableDataList
//! &&Place<T>           T: Display                     PrintableDisplay     (module `display`)
//! &Place<Option<T>>    T: Display                     PrintableOption
//! &Place<T>            T: Each<Item: Display>         PrintableList
//! Place<T>             every T                        NotPrintable
//! ```

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use super::{Each, Length, Print, ToScalar, ToValue, Truth};
use prompty_core::value::{Map, Value};

/// A reference to a place expression that a template reads, such as a field. The generated code is
/// the same for all types: Rust finds the inherent methods for `Option` before the methods of
/// [`PlainPlace`].
#[derive(Debug)]
pub struct Place<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Place<'a, Option<T>> {
    /// The value in the `Option`.
    #[inline]
    pub fn get(self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

/// [`Place::get`] for a type that is not an `Option`.
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

/// The truth of an `Option` in a condition, if the type inside implements [`Truth`].
pub trait OptionTruth {
    /// Whether there is a value and it is true. It returns a reference, since [`PlainTruth`] does.
    fn condition(&self) -> &'static bool;
}

impl<T: Truth> OptionTruth for &&Place<'_, Option<T>> {
    fn condition(&self) -> &'static bool {
        if self.0.as_ref().is_some_and(Truth::truth) { &true } else { &false }
    }
}

/// The truth of an `Option` in a condition, if the type inside does not implement [`Truth`].
pub trait PresenceTruth {
    /// Whether there is a value.
    fn condition(&self) -> &'static bool;
}

impl<T> PresenceTruth for &Place<'_, Option<T>> {
    fn condition(&self) -> &'static bool {
        if self.0.is_some() { &true } else { &false }
    }
}

/// The truth of any other type in a condition.
pub trait PlainTruth<'a, T: ?Sized> {
    /// The value itself. The code of the condition requires that it implements [`Truth`].
    fn condition(&self) -> &'a T;
}

impl<'a, T: ?Sized> PlainTruth<'a, T> for Place<'a, T> {
    fn condition(&self) -> &'a T {
        self.0
    }
}

/// A map whose entries a template reads by name or loops over.
pub trait Entries {
    /// The type of the values.
    type Entry;

    /// The value of a name.
    fn entry(&self, name: &str) -> Option<&Self::Entry>;

    /// The names and values, in order.
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

impl<K, V, S> Entries for HashMap<K, V, S>
where
    K: AsRef<str> + Borrow<str> + Ord + Hash,
    S: BuildHasher,
{
    type Entry = V;

    fn entry(&self, name: &str) -> Option<&V> {
        self.get(name)
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &V)> {
        // Sorted, as the map prints.
        let sorted: BTreeMap<&K, &V> = self.iter().collect();
        sorted.into_iter().map(|(name, value)| (name.as_ref(), value))
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

/// The test `none` on a value that prints.
pub trait PrintedMissing {
    /// Whether the value is missing.
    fn is_missing(&self) -> bool;
}

impl<T: Print + ?Sized> PrintedMissing for &&&Place<'_, T> {
    fn is_missing(&self) -> bool {
        self.0.is_null()
    }
}

/// The test `none` on an `Option` that does not print.
pub trait OptionMissing {
    /// Whether the value is missing.
    fn is_missing(&self) -> bool;
}

impl<T> OptionMissing for &Place<'_, Option<T>> {
    fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

/// The test `none` on a type that is not an `Option` and does not print: the value is never
/// missing.
pub trait NeverMissing {
    /// Always `false`.
    fn is_missing(&self) -> bool {
        false
    }
}

impl<T: ?Sized> NeverMissing for Place<'_, T> {}

/// The tiers of a conversion: a trait for types with `$bound`, one for types with only [`ToValue`],
/// and one for all other types.
macro_rules! tiers {
    ($(#[doc = $doc:literal])+ $method:ident: $bound:ident, $own:ident, $value:ident, $none:ident) => {
        $(#[doc = $doc])+
        pub trait $own<'a> {
            /// The value itself.
            type Converted: 'a;

            /// The value itself.
            fn $method(&self) -> Self::Converted;
        }

        impl<'a, T: $bound + ?Sized> $own<'a> for &&&&&Place<'a, T> {
            type Converted = &'a T;

            #[inline]
            fn $method(&self) -> &'a T {
                self.0
            }
        }

        /// The same for a type that implements only [`ToValue`].
        pub trait $value {
            /// The value for the template engine.
            fn $method(&self) -> Value;
        }

        impl<T: ToValue + ?Sized> $value for &&&&Place<'_, T> {
            fn $method(&self) -> Value {
                self.0.to_value()
            }
        }

        /// The same for a type without these traits. Another line of the generated code reports
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
    /// Converts a value for printing: it uses the `Print` of its type, or `ToValue` without one.
    printable: Print, Printable, PrintableValue, NotPrintable
}

tiers! {
    /// Converts a value for a comparison: it uses the `ToScalar` of its type, or `ToValue` without
    /// one.
    comparable: ToScalar, Comparable, ComparableValue, NotComparable
}

tiers! {
    /// Converts a value for the filter `length`: it uses the `Length` of its type, or `ToValue`
    /// without one.
    measurable: Length, Measurable, MeasurableValue, NotMeasurable
}

tiers! {
    /// Converts a value whose entries are read: it uses the `Entries` of its type, or `ToValue`
    /// without one.
    mapped: Entries, Mapped, MappedValue, NotMapped
}

/// Calls a function with each item of a list.
#[inline]
pub fn each<T: Each + ?Sized>(list: &T, each: impl FnMut(&T::Item)) {
    list.each().for_each(each);
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_read_as_the_value_inside() {
        struct NoTraits;
        assert_eq!(Place(&Some(1)).get(), Some(&1));
        assert_eq!(Place(&1).get(), Some(&1));
        assert!(!(&&&&Place(&Some(""))).condition());
        assert!((&&&&Place(&Some("x"))).condition());
        assert!((&&&&Place(&Some(NoTraits))).condition());
        assert!(!(&&&&Place(&None::<NoTraits>)).condition());
        assert_eq!((&&&&Place("x")).condition(), "x");
        assert!((&&&&Place(&None::<NoTraits>)).is_missing());
        assert!((&&&&Place(&Value::Null)).is_missing());
        assert!(!(&&&&Place(&NoTraits)).is_missing());
    }

    #[test]
    fn a_type_without_print_prints_its_value() {
        struct Point(i32);
        impl ToValue for Point {
            fn to_value(&self) -> Value {
                Value::from(vec![self.0])
            }
        }
        assert_eq!((&&&&&&Place("x")).printable().text(), "x");
        assert_eq!((&&&&&&Place(&Point(1))).printable().text(), "[1]");
        let point = (&&&&&&Place(&Point(1))).comparable();
        assert!(crate::typed::scalar::equal(&point, &Value::from(vec![1])));
    }
}
