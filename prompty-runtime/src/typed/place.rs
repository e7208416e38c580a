//! Reads the fields of a prompt in compiled code. The type of a field may be an `Option`,
//! printable, or neither. The module [`tiers`](super::tiers) explains the traits.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use super::tiers::tiers;
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

tiers! {
    get {
        /// [`Place::get`] for a type that is not an `Option`: the value itself.
        PlainPlace: [T: ?Sized] Place<'a, T> => Option<&'a T>, |it| Some(it);
    }
    // The truth of a value in a condition. It is a reference for all types, because the code of
    // the condition requires that any other type than an `Option` implements `Truth`.
    condition {
        /// An `Option` is true if its value is.
        OptionTruth: [T: Truth] &&Place<'a, Option<T>> => &'static bool,
            |it| if it.truth() { &true } else { &false };
        /// An `Option` of a type without [`Truth`] is true if there is a value.
        PresenceTruth: [T] &Place<'a, Option<T>> => &'static bool,
            |it| if it.is_some() { &true } else { &false };
        /// The value itself.
        PlainTruth: [T: ?Sized] Place<'a, T> => &'a T, |it| it;
    }
    // The test `none`: whether the value is missing.
    is_missing {
        /// A value that prints.
        PrintedMissing: [T: Print + ?Sized] &&&Place<'a, T> => bool, |it| it.is_null();
        /// An `Option` that does not print.
        OptionMissing: [T] &Place<'a, Option<T>> => bool, |it| it.is_none();
        /// A type that is not an `Option` and does not print: the value is never missing.
        NeverMissing: [T: ?Sized] Place<'a, T> => bool, |_| false;
    }
    // For printing. For a type without the traits of a method, another line of the generated code
    // reports an error.
    printable {
        Printable: [T: Print + ?Sized] &&&&&Place<'a, T> => &'a T, |it| it;
        PrintableValue: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        NotPrintable: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
    }
    // For a comparison.
    comparable {
        Comparable: [T: ToScalar + ?Sized] &&&&&Place<'a, T> => &'a T, |it| it;
        ComparableValue: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        NotComparable: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
    }
    // For the filter `length`.
    measurable {
        Measurable: [T: Length + ?Sized] &&&&&Place<'a, T> => &'a T, |it| it;
        MeasurableValue: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        NotMeasurable: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
    }
    // For reading entries.
    mapped {
        Mapped: [T: Entries + ?Sized] &&&&&Place<'a, T> => &'a T, |it| it;
        MappedValue: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        NotMapped: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
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
