//! Reads a Rust type from a [`Value`].

use std::str::FromStr;

use serde_core::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_core::forward_to_deserialize_any;

use super::failure::describe;
use crate::error::{Error, ErrorKind};
use crate::value::failure::{Failure, Result, excerpt};
use crate::value::{Map, Value};

impl Value {
    /// Converts the value to a `T`.
    ///
    /// # Errors
    ///
    /// Returns an error with the place in the value if the value does not fit `T`.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.deserialize_in_place().map_err(|cause| cause.into_error(ErrorKind::Conversion))
    }

    /// Like [`deserialize`](Self::deserialize), with the place separate from the message.
    #[doc(hidden)]
    pub fn deserialize_in_place<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(ValueDeserializer(self))
    }

    /// The description of this value in errors about values of the wrong kind.
    #[doc(hidden)]
    pub fn found(&self) -> String {
        describe(ValueDeserializer(self).unexpected())
    }
}

/// The deserializer of a [`Value`].
#[derive(Clone, Copy)]
struct ValueDeserializer<'de>(&'de Value);

impl<'de> ValueDeserializer<'de> {
    /// The value in the terms of serde, for error messages.
    fn unexpected(self) -> Unexpected<'de> {
        match self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Integer(number) => match i64::try_from(*number) {
                Ok(number) => Unexpected::Signed(number),
                Err(_) => Unexpected::Other("a very large integer"),
            },
            Value::Float(number) => Unexpected::Float(*number),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }

    /// The error for a value of another kind.
    fn mismatch<T>(self, expected: &dyn Expected) -> Result<T> {
        Err(Failure::invalid_type(self.unexpected(), expected))
    }
}

/// Passes an integer to a visitor as the narrowest type, because few visitors accept 128 bits.
fn visit_integer<'de, V: Visitor<'de>>(number: i128, visitor: V) -> Result<V::Value> {
    if let Ok(number) = u64::try_from(number) {
        return visitor.visit_u64(number);
    }
    match i64::try_from(number) {
        Ok(number) => visitor.visit_i64(number),
        Err(_) => visitor.visit_i128(number),
    }
}

/// Passes all items to a visitor. If the visitor does not read all of them, it is an error.
fn visit_array<'de, V: Visitor<'de>>(items: &'de [Value], visitor: V) -> Result<V::Value> {
    let mut array = ArrayReader { items: items.iter(), index: 0 };
    let value = visitor.visit_seq(&mut array)?;
    match array.items.len() {
        0 => Ok(value),
        _ => Err(too_long(items.len(), array.index)),
    }
}

/// Like [`visit_array`], for the entries of a map.
fn visit_entries<'de, V: Visitor<'de>>(map: &'de Map, visitor: V) -> Result<V::Value> {
    let mut entries = ObjectReader { entries: map.iter(), current: None };
    let value = visitor.visit_map(&mut entries)?;
    match entries.entries.len() {
        0 => Ok(value),
        left => Err(too_long(map.len(), map.len() - left)),
    }
}

fn too_long(found: usize, expected: usize) -> Failure {
    Failure::new(format!("expected {expected} items, found {found}"))
}

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(number) => visit_integer(*number, visitor),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visit_array(items, visitor),
            Value::Object(map) => visit_entries(map, visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "only its range is checked")]
            Some(number) if number.is_finite() && (number as f32).is_infinite() => {
                Err(Failure::new(format!("the number {number:e} is too large")))
            }
            _ => self.deserialize_f64(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.as_f64() {
            Some(number) => visitor.visit_f64(number),
            None => self.mismatch(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.0 {
            Value::String(variant) => visitor.visit_enum(VariantReader { variant, data: None }),
            Value::Object(map) => match (map.len(), map.iter().next()) {
                (1, Some((variant, data))) => {
                    visitor.visit_enum(VariantReader { variant, data: Some(data) })
                }
                (found, _) => Err(Failure::new(format!(
                    "expected an object with one entry, the name of a variant, found {found} entries"
                ))),
            },
            _ => {
                self.mismatch(&"the name of a variant, or an object with this name as its only key")
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct ArrayReader<'de> {
    items: std::slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for ArrayReader<'de> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(ValueDeserializer(item))
            .map(Some)
            .map_err(|failure| failure.in_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct ObjectReader<'de, I> {
    entries: I,
    /// The entry whose key was read last.
    current: Option<(&'de str, &'de Value)>,
}

impl<'de, I: ExactSizeIterator<Item = (&'de str, &'de Value)>> MapAccess<'de>
    for ObjectReader<'de, I>
{
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.current = self.entries.next();
        let Some((name, _)) = self.current else {
            return Ok(None);
        };
        seed.deserialize(KeyDeserializer(name)).map(Some).map_err(|failure| failure.in_name(name))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let Some((name, value)) = self.current.take() else {
            return Err(Failure::new("the value of a map was requested before its key"));
        };
        seed.deserialize(ValueDeserializer(value)).map_err(|failure| failure.in_name(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The deserializer of an object's key, which is parsed if a number or a boolean is expected. Each
/// number has only one form, so that two keys cannot become the same: `+1` is not the key `1`.
#[derive(Clone, Copy)]
struct KeyDeserializer<'de>(&'de str);

impl<'de> KeyDeserializer<'de> {
    fn parse<T: FromStr + ToString>(self, expected: &dyn Expected) -> Result<T> {
        let parsed = self.0.parse().ok().filter(|it: &T| it.to_string() == self.0);
        parsed.ok_or_else(|| Failure::invalid_type(Unexpected::Str(self.0), expected))
    }
}

macro_rules! parse_name {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let key = self.parse(&visitor)?;
            visitor.$visit(key)
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDeserializer<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.0)
    }

    parse_name! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32
        deserialize_i64 visit_i64 deserialize_i128 visit_i128
        deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32
        deserialize_u64 visit_u64 deserialize_u128 visit_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(VariantReader { variant: self.0, data: None })
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// An externally tagged enum: the name of a variant, alone or with data.
struct VariantReader<'de> {
    variant: &'de str,
    data: Option<&'de Value>,
}

impl<'de> VariantReader<'de> {
    /// The data of the variant; without data, an error that names what is expected.
    fn require_data(&self, expected: &str) -> Result<&'de Value> {
        self.data.ok_or_else(|| {
            let variant = excerpt(self.variant);
            Failure::new(format!("the variant `{variant}` needs {expected}"))
        })
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'de> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(KeyDeserializer(self.variant))?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'de> {
    type Error = Failure;

    fn unit_variant(self) -> Result<()> {
        match self.data {
            None | Some(Value::Null) => Ok(()),
            Some(data) => ValueDeserializer(data)
                .mismatch(&"a variant without data")
                .map_err(|failure| failure.in_name(self.variant)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        let data = self.require_data("a value")?;
        seed.deserialize(ValueDeserializer(data)).map_err(|failure| failure.in_name(self.variant))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value> {
        let read = match self.require_data("an array")? {
            Value::Array(items) => visit_array(items, visitor),
            other => ValueDeserializer(other).mismatch(&visitor),
        };
        read.map_err(|failure| failure.in_name(self.variant))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let read = match self.require_data("an object")? {
            Value::Object(map) => visit_entries(map, visitor),
            Value::Array(items) => visit_array(items, visitor),
            other => ValueDeserializer(other).mismatch(&visitor),
        };
        read.map_err(|failure| failure.in_name(self.variant))
    }
}
