//! Whether data that can be serialised is a map that has a key. The values of the map are not read, and no key
//! behind the one that is looked for.

use std::fmt::{self, Display};

use serde_core::Serialize;
use serde_core::ser::{Error, Impossible, SerializeMap, SerializeStruct, Serializer};

use prompty_core::value::Value;
use prompty_core::work::add_steps;

pub(super) fn has_key<T: Serialize + ?Sized>(data: &T, name: &str) -> bool {
    matches!(data.serialize(Keys { name }), Err(Stop::Found))
}

/// Looks for a key.
struct Keys<'n> {
    name: &'n str,
}

impl Keys<'_> {
    fn compare(&self, key: &str) -> Result<(), Stop> {
        add_steps(1);
        if key == self.name { Err(Stop::Found) } else { Ok(()) }
    }
}

/// Why data is not read further: an error is what serde stops at.
#[derive(Debug)]
enum Stop {
    /// The key is found.
    Found,
    /// The data is no map, or fails.
    NoMap,
}

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Found => "found",
            Self::NoMap => "no map",
        })
    }
}

impl std::error::Error for Stop {}

impl Error for Stop {
    fn custom<T: Display>(_message: T) -> Self {
        Self::NoMap
    }
}

/// The kinds of data that are no map.
macro_rules! no_maps {
    ($($method:ident($($type:ty),*) -> $out:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$out, Stop> {
            Err(Stop::NoMap)
        }
    )*};
}

impl<'n> Serializer for Keys<'n> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Impossible<(), Stop>;
    type SerializeTuple = Impossible<(), Stop>;
    type SerializeTupleStruct = Impossible<(), Stop>;
    type SerializeTupleVariant = Impossible<(), Stop>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Stop>;

    fn serialize_map(self, _length: Option<usize>) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), Stop> {
        Err(Stop::NoMap)
    }

    no_maps! {
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

impl SerializeMap for Keys<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        let key = Value::from_serialize(key).map_err(|_| Stop::NoMap)?;
        key.as_str().map_or(Ok(()), |key| self.compare(key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _value: &T) -> Result<(), Stop> {
        Ok(())
    }

    fn end(self) -> Result<(), Stop> {
        Ok(())
    }
}

impl SerializeStruct for Keys<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        _value: &T,
    ) -> Result<(), Stop> {
        self.compare(key)
    }

    fn end(self) -> Result<(), Stop> {
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
        assert!(!has_key(&BTreeMap::from([(1, 2)]), ""), "a key that is no text has no name");
    }

    #[test]
    fn no_key_behind_the_one_that_is_found_is_read() {
        let map: BTreeMap<String, u8> = (0..1000).map(|key| (format!("{key:04}"), 0)).collect();
        let (is_there, steps) = count_steps(|| has_key(&map, "0002"));
        assert!(is_there && steps <= 3, "{steps}");
    }
}
