//! Whether data that can be serialised is a map that has a key. The values of the map are not read.

use std::fmt::{self, Display};

use serde_core::Serialize;
use serde_core::ser::{Error, Impossible, SerializeMap, SerializeStruct, Serializer};

use prompty_core::value::Value;

pub(super) fn has_key<T: Serialize + ?Sized>(data: &T, name: &str) -> bool {
    data.serialize(Keys { name, has_key: false }).unwrap_or_default()
}

/// Looks for a key.
struct Keys<'n> {
    name: &'n str,
    has_key: bool,
}

/// The data is no map, or fails.
#[derive(Debug)]
struct NoMap;

impl Display for NoMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no map")
    }
}

impl std::error::Error for NoMap {}

impl Error for NoMap {
    fn custom<T: Display>(_message: T) -> Self {
        Self
    }
}

/// The kinds of data that are no map.
macro_rules! no_maps {
    ($($method:ident($($type:ty),*) -> $out:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$out, NoMap> {
            Err(NoMap)
        }
    )*};
}

impl<'n> Serializer for Keys<'n> {
    type Ok = bool;
    type Error = NoMap;
    type SerializeSeq = Impossible<bool, NoMap>;
    type SerializeTuple = Impossible<bool, NoMap>;
    type SerializeTupleStruct = Impossible<bool, NoMap>;
    type SerializeTupleVariant = Impossible<bool, NoMap>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<bool, NoMap>;

    fn serialize_map(self, _length: Option<usize>) -> Result<Self, NoMap> {
        Ok(self)
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Self, NoMap> {
        Ok(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, NoMap> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<bool, NoMap> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<bool, NoMap> {
        Err(NoMap)
    }

    no_maps! {
        serialize_bool(bool) -> bool;
        serialize_i8(i8) -> bool;
        serialize_i16(i16) -> bool;
        serialize_i32(i32) -> bool;
        serialize_i64(i64) -> bool;
        serialize_i128(i128) -> bool;
        serialize_u8(u8) -> bool;
        serialize_u16(u16) -> bool;
        serialize_u32(u32) -> bool;
        serialize_u64(u64) -> bool;
        serialize_u128(u128) -> bool;
        serialize_f32(f32) -> bool;
        serialize_f64(f64) -> bool;
        serialize_char(char) -> bool;
        serialize_str(&str) -> bool;
        serialize_bytes(&[u8]) -> bool;
        serialize_none() -> bool;
        serialize_unit() -> bool;
        serialize_unit_struct(&'static str) -> bool;
        serialize_unit_variant(&'static str, u32, &'static str) -> bool;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

impl SerializeMap for Keys<'_> {
    type Ok = bool;
    type Error = NoMap;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NoMap> {
        let key = Value::from_serialize(key);
        self.has_key |= key.is_ok_and(|key| key.as_str() == Some(self.name));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _value: &T) -> Result<(), NoMap> {
        Ok(())
    }

    fn end(self) -> Result<bool, NoMap> {
        Ok(self.has_key)
    }
}

impl SerializeStruct for Keys<'_> {
    type Ok = bool;
    type Error = NoMap;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        _value: &T,
    ) -> Result<(), NoMap> {
        self.has_key |= key == self.name;
        Ok(())
    }

    fn end(self) -> Result<bool, NoMap> {
        Ok(self.has_key)
    }
}
