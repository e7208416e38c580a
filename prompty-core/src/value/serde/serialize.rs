//! Makes a [`Value`] of a Rust type, and writes a [`Value`] to any format that serde knows.

use std::sync::Arc;

use serde_core::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::error::{Error, ErrorKind};
use crate::value::failure::{Failure, Result};
use crate::value::map::Entries;
use crate::value::{MAX_DEPTH, Map, Value};

/// The most items that memory is reserved for in advance. A length that is announced may be wrong.
const MAX_RESERVED: usize = 1024;

pub(super) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    value.serialize(ToValue { depth: 0 }).map_err(|cause| cause.into_error(ErrorKind::Conversion))
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(number) => serialize_integer(*number, serializer),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items.iter()),
            Self::Object(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Writes an integer as the narrowest type that holds it: few formats know 128 bits.
fn serialize_integer<S: Serializer>(number: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(number) = i64::try_from(number) {
        return serializer.serialize_i64(number);
    }
    match u64::try_from(number) {
        Ok(number) => serializer.serialize_u64(number),
        Err(_) => serializer.serialize_i128(number),
    }
}

/// Makes a [`Value`]. Only lists and maps count as depth: other wrappers are as deep as the type that
/// the caller wrote.
#[derive(Clone, Copy)]
struct ToValue {
    depth: usize,
}

impl ToValue {
    /// The serializer for what lies in a list or map at this depth.
    fn inside(self) -> Result<Self> {
        if self.depth >= MAX_DEPTH {
            return Err(Failure::too_deep());
        }
        Ok(Self { depth: self.depth + 1 })
    }

    fn list(self, length: Option<usize>) -> Result<ListBuilder> {
        let items = Vec::with_capacity(length.unwrap_or_default().min(MAX_RESERVED));
        Ok(ListBuilder { items, inside: self.inside()?, variant: None })
    }

    fn map(self, length: Option<usize>) -> Result<MapBuilder> {
        let entries = Entries::with_capacity(length.unwrap_or_default().min(MAX_RESERVED));
        Ok(MapBuilder { entries, name: None, inside: self.inside()?, variant: None })
    }
}

macro_rules! serialize_as {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, value: $type) -> Result<Value> {
            Ok(Value::from(value))
        }
    )*};
}

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Failure;
    type SerializeSeq = ListBuilder;
    type SerializeTuple = ListBuilder;
    type SerializeTupleStruct = ListBuilder;
    type SerializeTupleVariant = ListBuilder;
    type SerializeMap = MapBuilder;
    type SerializeStruct = MapBuilder;
    type SerializeStructVariant = MapBuilder;

    serialize_as! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_f32(f32) serialize_f64(f64)
        serialize_char(char) serialize_str(&str)
    }

    fn serialize_u128(self, number: u128) -> Result<Value> {
        i128::try_from(number)
            .map(Value::Integer)
            .map_err(|_| Failure::new(format!("the integer {number} is too large")))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value> {
        self.inside()?;
        Ok(bytes.iter().copied().collect())
    }

    fn serialize_none(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Value> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value> {
        let value = value.serialize(self.inside()?).map_err(|failure| failure.in_name(variant))?;
        Ok(in_variant(Some(variant), value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ListBuilder> {
        self.list(length)
    }

    fn serialize_tuple(self, length: usize) -> Result<ListBuilder> {
        self.list(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<ListBuilder> {
        self.list(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ListBuilder> {
        Ok(ListBuilder { variant: Some(variant), ..self.inside()?.list(Some(length))? })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<MapBuilder> {
        self.map(length)
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<MapBuilder> {
        self.map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<MapBuilder> {
        Ok(MapBuilder { variant: Some(variant), ..self.inside()?.map(Some(length))? })
    }
}

/// The external form of an enum's data: a map from the variant's name to it.
fn in_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Object(Map::from([(variant, value)])),
        None => value,
    }
}

struct ListBuilder {
    items: Vec<Value>,
    inside: ToValue,
    variant: Option<&'static str>,
}

impl ListBuilder {
    fn push<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        let item = item
            .serialize(self.inside)
            .map_err(|failure| within(failure.in_index(self.items.len()), self.variant))?;
        self.items.push(item);
        Ok(())
    }

    fn build(self) -> Value {
        in_variant(self.variant, Value::Array(Arc::new(self.items)))
    }
}

macro_rules! build_list {
    ($($builder:ident $method:ident)*) => {$(
        impl $builder for ListBuilder {
            type Ok = Value;
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.push(item)
            }

            fn end(self) -> Result<Value> {
                Ok(self.build())
            }
        }
    )*};
}

build_list! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

struct MapBuilder {
    entries: Entries,
    /// The name whose value comes next.
    name: Option<Arc<str>>,
    inside: ToValue,
    variant: Option<&'static str>,
}

impl MapBuilder {
    fn insert<T: Serialize + ?Sized>(&mut self, name: Arc<str>, value: &T) -> Result<()> {
        let value = value
            .serialize(self.inside)
            .map_err(|failure| within(failure.in_name(&name), self.variant))?;
        self.entries.insert(name, value);
        Ok(())
    }

    fn build(self) -> Value {
        in_variant(self.variant, Value::Object(Map::from_entries(self.entries)))
    }
}

/// A failure in the data of a variant, if there is one.
fn within(failure: Failure, variant: Option<&'static str>) -> Failure {
    match variant {
        Some(variant) => failure.in_name(variant),
        None => failure,
    }
}

impl SerializeMap for MapBuilder {
    type Ok = Value;
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.name = Some(key.serialize(ToName)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = self.name.take().ok_or_else(|| Failure::new("a map's value has no key"))?;
        self.insert(name, value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.build())
    }
}

macro_rules! build_struct {
    ($($builder:ident)*) => {$(
        impl $builder for MapBuilder {
            type Ok = Value;
            type Error = Failure;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<()> {
                self.insert(name.into(), value)
            }

            fn end(self) -> Result<Value> {
                Ok(self.build())
            }
        }
    )*};
}

build_struct!(SerializeStruct SerializeStructVariant);

/// Makes the name of a map's entry out of a key.
struct ToName;

fn no_name<T>(found: &str) -> Result<T> {
    Err(Failure::new(format!("a map's key must be a text, an integer or a boolean, not {found}")))
}

macro_rules! name_from {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, key: $type) -> Result<Arc<str>> {
            Ok(key.to_string().into())
        }
    )*};
}

macro_rules! no_name {
    ($($method:ident($($type:ty),*) -> $name:ty: $found:literal,)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$name> {
            no_name($found)
        }
    )*};
}

impl Serializer for ToName {
    type Ok = Arc<str>;
    type Error = Failure;
    type SerializeSeq = Impossible<Arc<str>, Failure>;
    type SerializeTuple = Impossible<Arc<str>, Failure>;
    type SerializeTupleStruct = Impossible<Arc<str>, Failure>;
    type SerializeTupleVariant = Impossible<Arc<str>, Failure>;
    type SerializeMap = Impossible<Arc<str>, Failure>;
    type SerializeStruct = Impossible<Arc<str>, Failure>;
    type SerializeStructVariant = Impossible<Arc<str>, Failure>;

    name_from! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128)
        serialize_char(char)
    }

    fn serialize_str(self, key: &str) -> Result<Arc<str>> {
        Ok(key.into())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Arc<str>> {
        Ok(variant.into())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<Arc<str>> {
        key.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        key: &T,
    ) -> Result<Arc<str>> {
        key.serialize(self)
    }

    no_name! {
        serialize_f32(f32) -> Arc<str>: "a float",
        serialize_f64(f64) -> Arc<str>: "a float",
        serialize_bytes(&[u8]) -> Arc<str>: "bytes",
        serialize_none() -> Arc<str>: "null",
        serialize_unit() -> Arc<str>: "null",
        serialize_unit_struct(&'static str) -> Arc<str>: "null",
        serialize_seq(Option<usize>) -> Self::SerializeSeq: "a list",
        serialize_tuple(usize) -> Self::SerializeTuple: "a list",
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct: "a list",
        serialize_tuple_variant(&'static str, u32, &'static str, usize)
            -> Self::SerializeTupleVariant: "a map",
        serialize_map(Option<usize>) -> Self::SerializeMap: "a map",
        serialize_struct(&'static str, usize) -> Self::SerializeStruct: "a map",
        serialize_struct_variant(&'static str, u32, &'static str, usize)
            -> Self::SerializeStructVariant: "a map",
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _key: &T,
    ) -> Result<Arc<str>> {
        no_name("a map")
    }
}
