//! Checks whether serialisable data is a map with a given key. It does not read the values of the
//! map, or the keys after the given one.
//!
//! Serde offers no access to the keys of a map. So [`KeySearch`] is a serializer that compares each
//! key it is given, and stops the serialisation with an error at the key.

use std::fmt::{self, Display};

use serde_core::Serialize;
use serde_core::ser::{Error, Impossible, SerializeMap, SerializeStruct, Serializer};

use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// Whether `data` is a map or a struct with the key `name`.
pub(super) fn has_key<T: Serialize + ?Sized>(data: &T, name: &str) -> bool {
    matches!(data.serialize(KeySearch { name }), Err(SearchStop::Found))
}

/// A serializer that looks for a key.
struct KeySearch<'n> {
    name: &'n str,
}

impl KeySearch<'_> {
    /// Stops the search if the key is the right one.
    fn compare(&self, key: &str) -> Result<(), SearchStop> {
        add_steps(1);
        if key == self.name { Err(SearchStop::Found) } else { Ok(()) }
    }
}

/// The reason why the search stopped. It is an error, because serde stops only at an error.
#[derive(Debug)]
enum SearchStop {
    /// The key is found.
    Found,
    /// The data has no keys to compare: it is not a map, or its serialisation failed.
    NoKeys,
}

impl Display for SearchStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Found => "found",
            Self::NoKeys => "not a map",
        })
    }
}

impl std::error::Error for SearchStop {}

impl Error for SearchStop {
    fn custom<T: Display>(_message: T) -> Self {
        Self::NoKeys
    }
}

/// Implements the methods for data that is not a map. They stop the search.
macro_rules! not_maps {
    ($($method:ident($($type:ty),*) -> $out:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$out, SearchStop> {
            Err(SearchStop::NoKeys)
        }
    )*};
}

impl<'n> Serializer for KeySearch<'n> {
    type Ok = ();
    type Error = SearchStop;
    type SerializeSeq = Impossible<(), SearchStop>;
    type SerializeTuple = Impossible<(), SearchStop>;
    type SerializeTupleStruct = Impossible<(), SearchStop>;
    type SerializeTupleVariant = Impossible<(), SearchStop>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), SearchStop>;

    fn serialize_map(self, _length: Option<usize>) -> Result<Self, SearchStop> {
        Ok(self)
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Self, SearchStop> {
        Ok(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SearchStop> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), SearchStop> {
        value.serialize(self)
    }

    // An enum variant is not a map here, although it is one in JSON: `{"Variant": …}`. The method
    // is generic, so `not_maps` cannot make it.
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), SearchStop> {
        Err(SearchStop::NoKeys)
    }

    not_maps! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_i128(i128) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_u128(u128) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

impl SerializeMap for KeySearch<'_> {
    type Ok = ();
    type Error = SearchStop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SearchStop> {
        let key = Value::from_serialize(key).map_err(|_| SearchStop::NoKeys)?;
        // A key that is not a string never matches.
        key.as_str().map_or(Ok(()), |key| self.compare(key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _value: &T) -> Result<(), SearchStop> {
        Ok(())
    }

    fn end(self) -> Result<(), SearchStop> {
        Ok(())
    }
}

impl SerializeStruct for KeySearch<'_> {
    type Ok = ();
    type Error = SearchStop;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        _value: &T,
    ) -> Result<(), SearchStop> {
        self.compare(key)
    }

    fn end(self) -> Result<(), SearchStop> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::has_key;
    use prompty_core::work::count_steps;

    #[test]
    fn only_keys_of_maps_are_found() {
        let map = BTreeMap::from([("", 1), ("a", 2)]);
        assert!(has_key(&map, "a") && has_key(&Some(&map), ""));
        assert!(!has_key(&map, "b") && !has_key("a", "a") && !has_key(&["a"], "a"));
        assert!(!has_key(&BTreeMap::from([(1, 2)]), ""), "a key that is not a string has no name");
    }

    #[test]
    fn keys_after_the_given_one_are_not_read() {
        let map: BTreeMap<String, u8> = (0..1000).map(|key| (format!("{key:04}"), 0)).collect();
        let (is_there, steps) = count_steps(|| has_key(&map, "0002"));
        assert!(is_there && steps <= 3, "{steps}");
    }
}
