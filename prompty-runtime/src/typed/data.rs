//! Converts data of other crates, such as `serde_json::Value`. It becomes the string, number or map
//! that it is for serde, although its `Display` writes JSON.
//!
//! Such a type can be serialised, and indexing it by a name gives a value of the same type. That is
//! how [`Data`] recognises it, so this module names no crate. Rust's method lookup finds these
//! traits after ours and before those of [`super::display`].

use std::ops::Index;

use serde_core::Serialize;

use super::display::{TextMarker, marker_tiers};
use super::keys::has_key;
use super::named::Fields;
use super::place::Place;
use super::scalar::OptionalScalar;
use super::truth::BlockTruth;
use super::{Each, Truth};
use prompty_core::value::Value;

/// A type whose values are data of any kind, such as `serde_json::Value`.
pub trait Data: Serialize {}

impl<T: Serialize + for<'n> Index<&'n str, Output = T>> Data for T {}

/// Converts data into a value; `null` if it is nested too deeply.
fn value<T: Data>(data: &T) -> Value {
    Value::from_serialize(data).unwrap_or_default()
}

fn values<T: Each<Item: Data + Sized> + ?Sized>(list: &T) -> Value {
    list.each().map(value).collect()
}

/// The conversions of data, of an `Option` of data, and of a list of data.
macro_rules! data_tiers {
    ($(
        $method:ident: $one:ident, $reference:ident, $optional:ident, $list:ident;
        $wrapped:ty, $wrap:expr;
    )*) => {$(
        /// The conversion of data.
        pub trait $one {
            /// The converted value.
            fn $method(&self) -> Value;
        }

        impl<T: Data> $one for &&&Place<'_, T> {
            fn $method(&self) -> Value {
                value(self.0)
            }
        }

        /// The conversion of a reference to data.
        pub trait $reference {
            /// The converted value.
            fn $method(&self) -> Value;
        }

        impl<T: Data> $reference for &&&Place<'_, &T> {
            fn $method(&self) -> Value {
                value(*self.0)
            }
        }

        /// The conversion of data that may be missing.
        pub trait $optional {
            /// The converted value.
            fn $method(&self) -> $wrapped;
        }

        impl<T: Data> $optional for &&Place<'_, Option<T>> {
            fn $method(&self) -> $wrapped {
                $wrap(self.0.as_ref().map(value))
            }
        }

        /// The conversion of a list of data.
        pub trait $list {
            /// The converted value.
            fn $method(&self) -> Value;
        }

        impl<T: Each<Item: Data + Sized> + ?Sized> $list for &&Place<'_, T> {
            fn $method(&self) -> Value {
                values(self.0)
            }
        }
    )*};
}

data_tiers! {
    printable: PrintableData, PrintableDataReference, PrintableDataOption, PrintableDataList;
    Value, Option::unwrap_or_default;
    comparable: ComparableData, ComparableDataReference, ComparableDataOption, ComparableDataList;
    OptionalScalar<Value>, OptionalScalar;
    measurable: MeasurableData, MeasurableDataReference, MeasurableDataOption, MeasurableDataList;
    Value, Option::unwrap_or_default;
    valued: ValuedData, ValuedDataReference, ValuedDataOption, ValuedDataList;
    Value, Option::unwrap_or_default;
}

marker_tiers! {
    writable {
        WritableData: [T: Data] for &&&Place<'_, T>;
        WritableDataReference: [T: Data] for &&&Place<'_, &T>;
        WritableDataOption: [T: Data] for &&Place<'_, Option<T>>;
        WritableDataList: [T: Each<Item: Data + Sized> + ?Sized] for &&Place<'_, T>;
    }
    countable {
        CountableData: [T: Data] for &&Place<'_, T>;
        CountableDataReference: [T: Data] for &&Place<'_, &T>;
    }
}

/// The tiers of properties of data, and of references to data. `$level` has the references of the
/// tier, and `$make` finds the property of a converted value.
macro_rules! question_tiers {
    ($($method:ident: $name:ident, $reference:ident for ($($level:tt)*) -> $answer:ty, $make:expr;)*) => {$(
        /// A property of data.
        pub trait $name {
            /// The property.
            fn $method(&self) -> $answer;
        }

        impl<T: Data> $name for $($level)* Place<'_, T> {
            fn $method(&self) -> $answer {
                $make(value(self.0))
            }
        }

        /// A property of a reference to data.
        pub trait $reference {
            /// The property.
            fn $method(&self) -> $answer;
        }

        impl<T: Data> $reference for $($level)* Place<'_, &T> {
            fn $method(&self) -> $answer {
                $make(value(*self.0))
            }
        }
    )*};
}

question_tiers! {
    counted: CountedData, CountedDataReference for (&&&) -> Value, std::convert::identity;
    condition: DataTruth, DataReferenceTruth for (&&) -> &'static bool, truth;
    is_missing: DataMissing, DataReferenceMissing for (&&) -> bool, is_null;
    shown: ShownData, ShownDataReference for (&&) -> Value, std::convert::identity;
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that the macro calls")]
fn truth(value: Value) -> &'static bool {
    if value.truth() { &true } else { &false }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that the macro calls")]
fn is_null(value: Value) -> bool {
    value.is_null()
}

/// The truth in blocks of Handlebars, for data, a reference to data, or an `Option` of either.
macro_rules! block_tiers {
    ($($name:ident for $place:ty: |$data:ident| $value:expr;)*) => {$(
        /// The truth of data in blocks of Handlebars.
        pub trait $name {
            /// The truth of the value.
            fn block_truth(&self) -> BlockTruth;
        }

        impl<T: Data> $name for &&&Place<'_, $place> {
            fn block_truth(&self) -> BlockTruth {
                let $data = self.0;
                BlockTruth::of_value(&$value)
            }
        }
    )*};
}

block_tiers! {
    DataBlock for T: |data| value(data);
    DataReferenceBlock for &T: |data| value(*data);
    DataOptionBlock for Option<T>: |data| data.as_ref().map(value).unwrap_or_default();
    DataReferenceOptionBlock for Option<&T>: |data| data.map(value).unwrap_or_default();
}

/// The entries of data.
pub trait NamedData<'a> {
    /// The type of the entry.
    type Entry: 'a;

    /// The entry with this name.
    fn named<D>(
        &self,
        name: &str,
        fields: &Fields<D>,
        read: impl for<'d> FnOnce(&'d D) -> &'d Value,
    ) -> Option<&'a Self::Entry>;
}

impl<'a, T, E> NamedData<'a> for &Place<'a, T>
where
    T: Serialize + for<'n> Index<&'n str, Output = E>,
    E: Data + 'a,
{
    type Entry = E;

    fn named<D>(
        &self,
        name: &str,
        _fields: &Fields<D>,
        _read: impl for<'d> FnOnce(&'d D) -> &'d Value,
    ) -> Option<&'a E> {
        // Some types of data panic if they lack the name.
        has_key(self.0, name).then(|| &self.0[name])
    }
}

/// Data in a loop. Like any list, it is returned as a pointer.
pub trait LoopedData {
    /// The data as a value.
    fn looped(&self) -> Box<Value>;
}

impl<T: Data> LoopedData for &&Place<'_, T> {
    fn looped(&self) -> Box<Value> {
        Box::new(value(self.0))
    }
}

/// An `Option` of data in a loop.
pub trait LoopedDataOption {
    /// The data as a value.
    fn looped(&self) -> Box<Value>;
}

impl<T: Data> LoopedDataOption for &Place<'_, Option<T>> {
    fn looped(&self) -> Box<Value> {
        Box::new(self.0.as_ref().map(value).unwrap_or_default())
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::super::Print;
    use super::super::tiers::*;
    use super::*;
    use serde_json::json;

    #[test]
    fn data_prints_by_the_rules_of_prompts() {
        let printed =
            |value: &serde_json::Value| (&&&&&&Place(value)).printable().text().into_owned();
        assert_eq!(printed(&json!("a\"b")), "a\"b");
        assert_eq!(printed(&json!(1.0)), "1");
        assert_eq!(printed(&json!(null)), "");
        assert_eq!(printed(&json!({"z": [1, "a"]})), r#"{"z": [1, "a"]}"#);
        let list = vec![json!("a"), json!(2)];
        assert_eq!((&&&&&&Place(&list)).printable().text(), r#"["a", 2]"#);
        assert_eq!((&&&&&&Place(&&json!("a"))).printable().text(), "a");
        assert_eq!((&&&&&&Place(&Some(json!("a")))).valued(), Value::from("a"));
    }

    #[test]
    fn data_is_tested_counted_and_compared_by_its_kind() {
        assert!(!(&&&&Place(&json!([]))).condition());
        assert!((&&&&Place(&json!(null))).is_missing());
        assert_eq!((&&&&&&Place(&json!([1, 2]))).counted(), Value::from(vec![1, 2]));
        let compared = (&&&&&&Place(&json!("a"))).comparable();
        assert!(crate::typed::scalar::equal(&compared, "a"));
        assert_eq!((&&&&Place(&json!("a"))).shown().to_string(), "a");
    }

    #[test]
    fn display_types_stay_strings() {
        assert_eq!((&&&&&&Place(&std::net::Ipv4Addr::LOCALHOST)).printable().text(), "127.0.0.1");
        assert_eq!((&&&&&&Place(&"a")).valued(), Value::from("a"));
    }
}
