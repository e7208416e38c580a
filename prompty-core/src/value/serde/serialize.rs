//! Converts Rust types to a [`Value`], and writes a [`Value`] to any serde format.

use std::sync::Arc;

use serde_core::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::error::{Error, ErrorKind};
use crate::value::failure::{Failure, Result};
use crate::value::map::Entries;
use crate::value::{MAX_DEPTH, Map, Value};

/// The maximum number of items to reserve memory for. The announced length may be wrong.
const MAX_RESERVED: usize = 1024;

impl Value {
    /// Converts any serialisable value, without intermediate JSON text.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::value::Value;
    ///
    /// let value = Value::from_serialize(&vec![("a", 1), ("b", 2)])?;
    /// assert_eq!(value.to_string(), r#"[["a", 1], ["b", 2]]"#);
    /// let pairs: Vec<(String, u8)> = value.deserialize()?;
    /// assert_eq!(pairs[1], ("b".to_owned(), 2));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the type's own `Serialize` does, if the key of a map is not a string, an
    /// integer or a boolean, if two keys have the same text, or if the data is nested deeper than
    /// [`MAX_DEPTH`].
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        value
            .serialize(ValueSerializer { depth: 0, is_key: false })
            .map_err(|cause| cause.into_error(ErrorKind::Conversion))
    }
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

/// Writes an integer as the narrowest type, because few formats support 128 bits.
fn serialize_integer<S: Serializer>(number: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(number) = i64::try_from(number) {
        return serializer.serialize_i64(number);
    }
    match u64::try_from(number) {
        Ok(number) => serializer.serialize_u64(number),
        Err(_) => serializer.serialize_i128(number),
    }
}

/// The serializer that creates a [`Value`]. Only arrays and objects count as depth. Wrappers that
/// leave no trace in the value, such as `Some`, do not.
#[derive(Clone, Copy)]
struct ValueSerializer {
    depth: usize,
    /// Whether the value is the key of an object, which must not be an array or an object.
    is_key: bool,
}

impl ValueSerializer {
    /// The serializer for the content of an array or object at this depth. `outer` names the array
    /// or object in the error about a key that is one.
    fn inside(self, outer: &str) -> Result<Self> {
        if self.is_key {
            return Err(invalid_key(outer));
        }
        if self.depth >= MAX_DEPTH {
            return Err(Failure::too_deep());
        }
        Ok(Self { depth: self.depth + 1, is_key: false })
    }

    fn array(self, length: Option<usize>) -> Result<ArrayBuilder> {
        let items = Vec::with_capacity(length.unwrap_or_default().min(MAX_RESERVED));
        Ok(ArrayBuilder { items, inside: self.inside("an array")?, variant: None })
    }

    fn object(self, length: Option<usize>) -> Result<ObjectBuilder> {
        let entries = Entries::with_capacity(length.unwrap_or_default().min(MAX_RESERVED));
        Ok(ObjectBuilder { entries, name: None, inside: self.inside("an object")?, variant: None })
    }
}

macro_rules! serialize_as {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, value: $type) -> Result<Value> {
            Ok(Value::from(value))
        }
    )*};
}

impl Serializer for ValueSerializer {
    type Ok = Value;
    type Error = Failure;
    type SerializeSeq = ArrayBuilder;
    type SerializeTuple = ArrayBuilder;
    type SerializeTupleStruct = ArrayBuilder;
    type SerializeTupleVariant = ArrayBuilder;
    type SerializeMap = ObjectBuilder;
    type SerializeStruct = ObjectBuilder;
    type SerializeStructVariant = ObjectBuilder;

    serialize_as! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_f32(f32) serialize_f64(f64)
        serialize_char(char) serialize_str(&str)
    }

    fn serialize_u128(self, number: u128) -> Result<Value> {
        match i128::try_from(number) {
            Ok(number) => Ok(Value::Integer(number)),
            // Keys become text anyway.
            Err(_) if self.is_key => Ok(Value::from(number.to_string())),
            Err(_) => Err(Failure::new(format!("the integer {number} is too large"))),
        }
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value> {
        // The items of bytes need no serializer, but bytes are an array, too.
        self.inside("bytes")?;
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
        let value = value
            .serialize(self.inside("an object")?)
            .map_err(|failure| failure.in_name(variant))?;
        Ok(in_variant(Some(variant), value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ArrayBuilder> {
        self.array(length)
    }

    fn serialize_tuple(self, length: usize) -> Result<ArrayBuilder> {
        self.array(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<ArrayBuilder> {
        self.array(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ArrayBuilder> {
        // The array is inside of the object with the variant's name.
        Ok(ArrayBuilder {
            variant: Some(variant),
            ..self.inside("an object")?.array(Some(length))?
        })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<ObjectBuilder> {
        self.object(length)
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<ObjectBuilder> {
        self.object(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ObjectBuilder> {
        Ok(ObjectBuilder {
            variant: Some(variant),
            ..self.inside("an object")?.object(Some(length))?
        })
    }
}

/// The external form of an enum's data: an object from the variant's name to the data.
fn in_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Object(Map::from([(variant, value)])),
        None => value,
    }
}

/// Collects the items of an array.
struct ArrayBuilder {
    items: Vec<Value>,
    /// The serializer of the items.
    inside: ValueSerializer,
    /// The variant of an enum whose data the array is.
    variant: Option<&'static str>,
}

impl ArrayBuilder {
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

macro_rules! impl_array_builder {
    ($($builder:ident $method:ident)*) => {$(
        impl $builder for ArrayBuilder {
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

impl_array_builder! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

/// Collects the entries of an object; see [`ArrayBuilder`].
struct ObjectBuilder {
    entries: Entries,
    /// The key whose value is serialised next.
    name: Option<Arc<str>>,
    inside: ValueSerializer,
    variant: Option<&'static str>,
}

impl ObjectBuilder {
    fn insert<T: Serialize + ?Sized>(&mut self, name: Arc<str>, value: &T) -> Result<()> {
        let value = value
            .serialize(self.inside)
            .map_err(|failure| within(failure.in_name(&name), self.variant))?;
        if self.entries.contains_key(&name) {
            let failure = Failure::new("two keys have this text").in_name(&name);
            return Err(within(failure, self.variant));
        }
        self.entries.insert(name, value);
        Ok(())
    }

    fn build(self) -> Value {
        in_variant(self.variant, Value::Object(Map::from_entries(self.entries)))
    }
}

/// Adds the variant, if there is one, to the path of an error.
fn within(failure: Failure, variant: Option<&'static str>) -> Failure {
    match variant {
        Some(variant) => failure.in_name(variant),
        None => failure,
    }
}

impl SerializeMap for ObjectBuilder {
    type Ok = Value;
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.name = Some(key_of(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = self.name.take().ok_or_else(|| Failure::new("the value of a map has no key"))?;
        self.insert(name, value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.build())
    }
}

macro_rules! impl_object_builder {
    ($($builder:ident)*) => {$(
        impl $builder for ObjectBuilder {
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

impl_object_builder!(SerializeStruct SerializeStructVariant);

/// Converts the key of an object to a string.
fn key_of<T: Serialize + ?Sized>(key: &T) -> Result<Arc<str>> {
    match key.serialize(ValueSerializer { depth: 0, is_key: true })? {
        Value::String(key) => Ok(key),
        Value::Null => Err(invalid_key("null")),
        Value::Float(_) => Err(invalid_key("a float")),
        key => Ok(key.to_string().into()),
    }
}

fn invalid_key(found: &str) -> Failure {
    Failure::new(format!("expected a string, an integer or a boolean as a key, found {found}"))
}
