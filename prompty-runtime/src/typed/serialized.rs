//! Converts types that implement only `Serialize`: their JSON form prints, is passed to filters and
//! to the engine, and can be looped over.
//!
//! Rust's method lookup finds these traits last, after our traits and `Display`. A value whose
//! serialisation fails is an error of the prompt, never `null`.

use std::fmt::{self, Display, Write};

use serde_core::Serialize;

use super::Print;
use super::converted::{Failures, IntoConverted};
use super::display::TextMarker;
use super::looped::items_or_keys;
use super::place::Place;
use super::rows::{Rows, named};
use super::tiers::tiers;
use prompty_core::error::Error;
use prompty_core::value::Value;

/// A value that prints as its serialised form. Nothing is converted before it prints.
#[derive(Debug)]
pub struct SerializePrinter<'a, T: ?Sized>(pub(super) &'a T);

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> Print for SerializePrinter<'_, T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        write!(out, "{}", Value::from_serialize(self.0).map_err(|_| fmt::Error)?)
    }

    fn size_hint(&self) -> usize {
        48
    }

    fn is_null(&self) -> bool {
        Value::from_serialize(self.0).is_ok_and(|value| value.is_null())
    }

    fn failure(&self) -> Option<Error> {
        Value::from_serialize(self.0).err()
    }
}

/// The result of a serialisation.
#[derive(Debug)]
pub struct Serialized(Result<Value, Error>);

impl IntoConverted for Serialized {
    fn into_converted(self) -> Result<Value, Error> {
        self.0
    }
}

/// Serialises a value.
pub fn serialized<T: Serialize + ?Sized>(value: &T) -> Serialized {
    Serialized(Value::from_serialize(value))
}

impl FromIterator<Serialized> for Serialized {
    fn from_iter<I: IntoIterator<Item = Self>>(items: I) -> Self {
        let items: Result<Vec<Value>, Error> = items.into_iter().map(|item| item.0).collect();
        Self(items.map(Value::from))
    }
}

/// Serialises a value whose text cannot be reported: in a comparison, for example.
fn value<T: Serialize + ?Sized>(value: &T) -> Value {
    Value::from_serialize(value).unwrap_or_default()
}

/// Serialises the entries of a map, in the order of its keys.
fn rows<T: Rows<Key: Display, Entry: Serialize> + ?Sized>(map: &T) -> Serialized {
    let failures = Failures::default();
    let map = named(map, |entry| failures.keep(serialized(entry)));
    Serialized(failures.finish(map))
}

impl Print for Serialized {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        write!(out, "{}", self.0.as_ref().map_err(|_| fmt::Error)?)
    }

    fn is_null(&self) -> bool {
        self.0.as_ref().is_ok_and(Value::is_null)
    }

    fn failure(&self) -> Option<Error> {
        self.0.as_ref().err().map(Error::duplicate)
    }
}

// A map with keys that print and serialisable values, and any serialisable value.
tiers! {
    printable {
        PrintableSerializeRows: [T: Rows<Key: Display, Entry: Serialize> + ?Sized] &&Place<'a, T>
            => Serialized, |it| rows(it);
        PrintableSerialize: [T: Serialize + ?Sized] &Place<'a, T> => SerializePrinter<'a, T>,
            |it| SerializePrinter(it);
    }
    valued {
        ValuedSerializeRows: [T: Rows<Key: Display, Entry: Serialize> + ?Sized] &&Place<'a, T>
            => Serialized, |it| rows(it);
        ValuedSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Serialized, |it| serialized(it);
    }
    comparable {
        ComparableSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Value, |it| value(it);
    }
    measurable {
        MeasurableSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Value, |it| value(it);
    }
    counted {
        CountedSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Value, |it| value(it);
    }
    mapped {
        MappedSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Value, |it| value(it);
    }
    writable {
        WritableSerializeRows: [T: Rows<Key: Display, Entry: Serialize> + ?Sized] &&Place<'a, T>
            => &'static TextMarker, |_| &TextMarker;
        WritableSerialize: [T: Serialize + ?Sized] &Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
    }
    countable {
        CountableSerialize: [T: Serialize + ?Sized] &Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
    }
    // A list in a loop. Like any converted list, it is returned as a pointer.
    looped {
        LoopedSerialize: [T: Serialize + ?Sized] &Place<'a, T> => Box<Value>,
            |it| Box::new(items_or_keys(value(it)));
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use serde::Serialize;

    use super::super::tiers::*;
    use super::super::{Each, Length};
    use super::*;

    #[derive(Serialize)]
    struct Point {
        x: f64,
        #[serde(rename = "label", skip_serializing_if = "Option::is_none")]
        name: Option<&'static str>,
    }

    const POINT: Point = Point { x: 1.0, name: None };

    #[derive(Serialize)]
    struct Wrong(BTreeMap<(u8, u8), u8>);

    #[test]
    fn a_serialisable_value_prints_as_json_and_is_converted() {
        assert_eq!((&&&&&&&Place(&POINT)).printable().text(), r#"{"x": 1.0}"#);
        let points = vec![Point { x: 2.5, name: Some("a") }];
        assert_eq!((&&&&&&&Place(&points)).printable().text(), r#"[{"x": 2.5, "label": "a"}]"#);
        let map = HashMap::from([("b", POINT), ("a", POINT)]);
        assert_eq!(
            (&&&&&&&Place(&map)).printable().text(),
            r#"{"a": {"x": 1.0}, "b": {"x": 1.0}}"#
        );
        assert_eq!((&&&&&&&Place(&None::<Point>)).printable().text(), "");
        let failures = Failures::default();
        let value = failures.keep((&&&&&&&Place(&POINT)).valued());
        assert_eq!(failures.finish(value).unwrap().to_string(), r#"{"x": 1.0}"#);
    }

    #[test]
    fn display_and_our_traits_take_precedence() {
        #[derive(Serialize)]
        struct Both(u8);
        impl Display for Both {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "number {}", self.0)
            }
        }
        assert_eq!((&&&&&&&Place(&Both(1))).printable().text(), "number 1");
        assert_eq!((&&&&&&&Place(&[Both(1)])).printable().text(), r#"["number 1"]"#);
        let map = BTreeMap::from([(1, Both(2))]);
        assert_eq!((&&&&&&&Place(&map)).printable().text(), r#"{"1": "number 2"}"#);
    }

    #[test]
    fn a_serialisable_value_is_looped_over_and_counted() {
        #[derive(Serialize)]
        struct Names(Vec<&'static str>);
        let names = Names(vec!["a", "b"]);
        let looped = (&&&&&&&Place(&names)).looped();
        assert_eq!(looped.each().map(|it| it.to_string()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((&&&&&&&Place(&names)).measurable().length(), 2);
        let looped = (&&&&&&&Place(&serde_json::json!({"k": 1}))).looped();
        assert_eq!(looped.each().map(|it| it.to_string()).collect::<Vec<_>>(), ["k"]);
    }

    #[test]
    fn a_value_that_cannot_be_serialised_is_an_error() {
        let wrong = Wrong(BTreeMap::from([((1, 2), 3)]));
        let mut out = String::new();
        let printed = (&&&&&&&Place(&wrong)).printable();
        assert!(printed.print(&mut out).is_err() && out.is_empty());
        assert!(printed.failure().unwrap().to_string().contains("as a key"));
        let failures = Failures::default();
        let value = failures.keep((&&&&&&&Place(&wrong)).valued());
        assert!(failures.finish(value).is_err());
    }
}
