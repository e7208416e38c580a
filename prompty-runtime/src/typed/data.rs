//! Converts data of other crates, such as `serde_json::Value`. It becomes the string, number or map
//! that it is for serde, although its `Display` writes JSON.
//!
//! Such a type can be serialised, and indexing it by a name gives a value of the same type. That is
//! how [`Data`] recognises it, so this module names no crate. Rust's method lookup, which
//! [`super::tiers`] explains, finds these traits after ours and before those of [`super::display`].

use std::ops::Index;

use serde_core::Serialize;

use super::display::TextMarker;
use super::keys::has_key;
use super::named::{Fields, NamedEntry};
use super::place::Place;
use super::scalar::OptionalScalar;
use super::tiers::tiers;
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

/// Converts data that may be missing.
fn optional<T: Data>(data: Option<&T>) -> Value {
    data.map(value).unwrap_or_default()
}

fn truth<T: Data>(data: &T) -> &'static bool {
    if value(data).truth() { &true } else { &false }
}

// The tiers of data, of a reference to data, of an `Option` of data, and of a list of data.
tiers! {
    printable {
        PrintableData: [T: Data] &&&Place<'a, T> => Value, |it| value(it);
        PrintableDataReference: [T: Data] &&&Place<'a, &T> => Value, |it| value(*it);
        PrintableDataOption: [T: Data] &&Place<'a, Option<T>> => Value, |it| optional(it.as_ref());
        PrintableDataList: [T: Each<Item: Data + Sized> + ?Sized] &&Place<'a, T> => Value,
            |it| values(it);
    }
    comparable {
        ComparableData: [T: Data] &&&Place<'a, T> => Value, |it| value(it);
        ComparableDataReference: [T: Data] &&&Place<'a, &T> => Value, |it| value(*it);
        ComparableDataOption: [T: Data] &&Place<'a, Option<T>> => OptionalScalar<Value>,
            |it| OptionalScalar(it.as_ref().map(value));
        ComparableDataList: [T: Each<Item: Data + Sized> + ?Sized] &&Place<'a, T> => Value,
            |it| values(it);
    }
    measurable {
        MeasurableData: [T: Data] &&&Place<'a, T> => Value, |it| value(it);
        MeasurableDataReference: [T: Data] &&&Place<'a, &T> => Value, |it| value(*it);
        MeasurableDataOption: [T: Data] &&Place<'a, Option<T>> => Value, |it| optional(it.as_ref());
        MeasurableDataList: [T: Each<Item: Data + Sized> + ?Sized] &&Place<'a, T> => Value,
            |it| values(it);
    }
    valued {
        ValuedData: [T: Data] &&&Place<'a, T> => Value, |it| value(it);
        ValuedDataReference: [T: Data] &&&Place<'a, &T> => Value, |it| value(*it);
        ValuedDataOption: [T: Data] &&Place<'a, Option<T>> => Value, |it| optional(it.as_ref());
        ValuedDataList: [T: Each<Item: Data + Sized> + ?Sized] &&Place<'a, T> => Value,
            |it| values(it);
    }
    writable {
        WritableData: [T: Data] &&&Place<'a, T> => &'static TextMarker, |_| &TextMarker;
        WritableDataReference: [T: Data] &&&Place<'a, &T> => &'static TextMarker, |_| &TextMarker;
        WritableDataOption: [T: Data] &&Place<'a, Option<T>> => &'static TextMarker,
            |_| &TextMarker;
        WritableDataList: [T: Each<Item: Data + Sized> + ?Sized] &&Place<'a, T>
            => &'static TextMarker, |_| &TextMarker;
    }
    countable {
        CountableData: [T: Data] &&Place<'a, T> => &'static TextMarker, |_| &TextMarker;
        CountableDataReference: [T: Data] &&Place<'a, &T> => &'static TextMarker, |_| &TextMarker;
    }
    counted {
        CountedData: [T: Data] &&&Place<'a, T> => Value, |it| value(it);
        CountedDataReference: [T: Data] &&&Place<'a, &T> => Value, |it| value(*it);
    }
    condition {
        DataTruth: [T: Data] &&Place<'a, T> => &'static bool, |it| truth(it);
        DataReferenceTruth: [T: Data] &&Place<'a, &T> => &'static bool, |it| truth(*it);
    }
    is_missing {
        DataMissing: [T: Data] &&Place<'a, T> => bool, |it| value(it).is_null();
        DataReferenceMissing: [T: Data] &&Place<'a, &T> => bool, |it| value(*it).is_null();
    }
    shown {
        ShownData: [T: Data] &&Place<'a, T> => Value, |it| value(it);
        ShownDataReference: [T: Data] &&Place<'a, &T> => Value, |it| value(*it);
    }
    // The truth in blocks of Handlebars.
    block_truth {
        DataBlock: [T: Data] &&&Place<'a, T> => BlockTruth, |it| BlockTruth::of_value(&value(it));
        DataReferenceBlock: [T: Data] &&&Place<'a, &T> => BlockTruth,
            |it| BlockTruth::of_value(&value(*it));
        DataOptionBlock: [T: Data] &&&Place<'a, Option<T>> => BlockTruth,
            |it| BlockTruth::of_value(&optional(it.as_ref()));
        DataReferenceOptionBlock: [T: Data] &&&Place<'a, Option<&T>> => BlockTruth,
            |it| BlockTruth::of_value(&optional(*it));
    }
    // Data in a loop. Like any list, it is returned as a pointer.
    looped {
        LoopedData: [T: Data] &&Place<'a, T> => Box<Value>, |it| Box::new(value(it));
        LoopedDataOption: [T: Data] &Place<'a, Option<T>> => Box<Value>,
            |it| Box::new(optional(it.as_ref()));
    }
}

/// The entries of data.
impl<'a, T, E> NamedEntry<'a> for &Place<'a, T>
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
