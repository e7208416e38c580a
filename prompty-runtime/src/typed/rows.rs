//! Maps of Rust: their keys become the names of entries, whatever their type is.
//!
//! A map whose keys and values implement [`ToValue`] implements it, too. The tiers here are for maps
//! whose keys or values only implement `Display`, or `Serialize`. Such a map never prints as the
//! list of its keys: see [`super::each::List`].

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

use super::ToValue;
use super::display::TextMarker;
use super::place::{Entries, Place};
use super::pointers::for_pointers;
use super::tiers::tiers;
use prompty_core::value::Value;

/// A map of Rust.
pub trait Rows {
    /// The type of the keys.
    type Key;
    /// The type of the values.
    type Entry;

    /// The keys and values, in order.
    fn rows(&self) -> impl Iterator<Item = (&Self::Key, &Self::Entry)>;
}

impl<K, V> Rows for BTreeMap<K, V> {
    type Key = K;
    type Entry = V;

    fn rows(&self) -> impl Iterator<Item = (&K, &V)> {
        self.iter()
    }
}

impl<K: Ord, V, S> Rows for HashMap<K, V, S> {
    type Key = K;
    type Entry = V;

    /// Sorted by key, so that equal maps print the same.
    fn rows(&self) -> impl Iterator<Item = (&K, &V)> {
        self.iter().collect::<BTreeMap<_, _>>().into_iter()
    }
}

for_pointers! { Rows {
    type Key = T::Key;
    type Entry = T::Entry;

    fn rows(&self) -> impl Iterator<Item = (&T::Key, &T::Entry)> {
        (**self).rows()
    }
} }

/// The name of an entry: the text that its key prints.
fn name_of<K: ToValue>(key: &K) -> String {
    key.to_value().to_string()
}

/// Converts a map whose keys and values have our traits.
pub(super) fn map_value<T: Rows<Key: ToValue, Entry: ToValue> + ?Sized>(map: &T) -> Value {
    let entries = map.rows().map(|(key, entry)| (name_of(key), entry.to_value()));
    Value::Object(entries.collect())
}

/// Converts a map whose keys print by their `Display`.
pub(super) fn named<T: Rows<Key: Display> + ?Sized>(
    map: &T,
    value: impl Fn(&T::Entry) -> Value,
) -> Value {
    Value::Object(map.rows().map(|(key, entry)| (key.to_string(), value(entry))).collect())
}

fn named_values<T: Rows<Key: Display, Entry: ToValue> + ?Sized>(map: &T) -> Value {
    named(map, ToValue::to_value)
}

fn named_texts<T: Rows<Key: Display, Entry: Display> + ?Sized>(map: &T) -> Value {
    named(map, |entry| Value::from(entry.to_string()))
}

/// A map whose entries are named by the texts of its keys.
#[derive(Debug)]
pub struct KeyedEntries<'a, T: ?Sized>(&'a T);

impl<T: Rows<Key: ToValue> + ?Sized> Entries for KeyedEntries<'_, T> {
    type Entry = T::Entry;

    fn entry(&self, name: &str) -> Option<&T::Entry> {
        self.0.rows().find(|(key, _)| name_of(*key) == name).map(|(_, entry)| entry)
    }

    fn entries(&self) -> impl Iterator<Item = (Cow<'_, str>, &T::Entry)> {
        self.0.rows().map(|(key, entry)| (name_of(key).into(), entry))
    }
}

// A map with `Display` in its keys and our traits in its values, and one with `Display` in both.
tiers! {
    printable {
        PrintableNamedValues: [T: Rows<Key: Display, Entry: ToValue> + ?Sized] &&&&Place<'a, T>
            => Value, |it| named_values(it);
        PrintableNamedTexts: [T: Rows<Key: Display, Entry: Display> + ?Sized] &&&Place<'a, T>
            => Value, |it| named_texts(it);
    }
    comparable {
        ComparableNamedValues: [T: Rows<Key: Display, Entry: ToValue> + ?Sized] &&&&Place<'a, T>
            => Value, |it| named_values(it);
        ComparableNamedTexts: [T: Rows<Key: Display, Entry: Display> + ?Sized] &&&Place<'a, T>
            => Value, |it| named_texts(it);
    }
    valued {
        ValuedNamedValues: [T: Rows<Key: Display, Entry: ToValue> + ?Sized] &&&&Place<'a, T>
            => Value, |it| named_values(it);
        ValuedNamedTexts: [T: Rows<Key: Display, Entry: Display> + ?Sized] &&&Place<'a, T>
            => Value, |it| named_texts(it);
    }
    writable {
        WritableNamedValues: [T: Rows<Key: Display, Entry: ToValue> + ?Sized] &&&&Place<'a, T>
            => &'static TextMarker, |_| &TextMarker;
        WritableNamedTexts: [T: Rows<Key: Display, Entry: Display> + ?Sized] &&&Place<'a, T>
            => &'static TextMarker, |_| &TextMarker;
    }
    mapped {
        /// A map with any keys that have our traits.
        MappedByKey: [T: Rows<Key: ToValue> + ?Sized] &&&&&Place<'a, T> => KeyedEntries<'a, T>,
            |it| KeyedEntries(it);
        MappedNamedValues: [T: Rows<Key: Display, Entry: ToValue> + ?Sized] &&&Place<'a, T>
            => Value, |it| named_values(it);
        MappedNamedTexts: [T: Rows<Key: Display, Entry: Display> + ?Sized] &&Place<'a, T>
            => Value, |it| named_texts(it);
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::Print;
    use super::super::tiers::*;
    use super::*;

    const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;

    #[test]
    fn a_map_prints_its_keys_and_values_whatever_they_are() {
        let numbers = BTreeMap::from([(10, "b"), (2, "a")]);
        assert_eq!(numbers.text(), r#"{"2": "a", "10": "b"}"#);
        assert_eq!(HashMap::from([(10, "b"), (2, "a")]).text(), r#"{"2": "a", "10": "b"}"#);
        assert_eq!(BTreeMap::from([((1, 'x'), true)]).text(), r#"{"[1, \"x\"]": true}"#);
        let printed = |map: &BTreeMap<Ipv4Addr, u8>| (&&&&&&&Place(map)).printable().to_string();
        assert_eq!(printed(&BTreeMap::from([(LOCAL, 1)])), r#"{"127.0.0.1": 1}"#);
        let map = &BTreeMap::from([(1, LOCAL)]);
        assert_eq!((&&&&&&&Place(&map)).valued().to_string(), r#"{"1": "127.0.0.1"}"#);
    }

    #[test]
    fn a_map_that_cannot_be_printed_is_not_the_list_of_its_keys() {
        struct NoTraits;
        let map = BTreeMap::from([("a", NoTraits)]);
        assert_eq!((&&&&&&&Place(&map)).valued(), Value::Null);
        let _: &BTreeMap<&str, NoTraits> = (&&&&&&&Place(&map)).writable();
    }

    #[test]
    fn entries_are_named_by_the_texts_of_keys() {
        struct NoTraits(u8);
        let map = &BTreeMap::from([(1, NoTraits(7))]);
        let mapped = (&&&&&&&Place(&map)).mapped();
        let rows: Vec<_> = mapped.entries().map(|(name, it)| (name.into_owned(), it.0)).collect();
        assert_eq!(rows, [("1".to_owned(), 7)]);
        assert_eq!(mapped.entry("1").map(|it| it.0), Some(7));
        let map = BTreeMap::from([(LOCAL, LOCAL)]);
        assert_eq!((&&&&&&&Place(&map)).mapped().get("127.0.0.1"), Some(&"127.0.0.1".into()));
    }
}
