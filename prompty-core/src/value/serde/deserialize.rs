//! Reads a [`Value`] from any serde format.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use serde_core::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};

use crate::value::failure::Failure;
use crate::value::map::Entries;
use crate::value::{MAX_DEPTH, Map, Value};

/// The maximum number of items to reserve memory for. The announced length may be wrong.
const MAX_RESERVED: usize = 1024;

/// The key under which `serde_json` passes the digits of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// Whether a text begins like a JSON number.
fn is_number(text: &str) -> bool {
    text.trim_start_matches('-').starts_with(|it: char| it.is_ascii_digit())
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ValueSeed { depth: 0 }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Map {
    /// Keeps the order of the entries. The last of two entries with the same key is kept.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor)
    }
}

/// Reads any value inside `depth` arrays and objects.
#[derive(Clone, Copy)]
struct ValueSeed {
    depth: usize,
}

impl ValueSeed {
    /// The reader of the content of an array or object.
    fn inside<E: Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(Failure::too_deep()));
        }
        Ok(Self { depth: self.depth + 1 })
    }

    /// Reads the entries of a map. `first` is an entry that was read before.
    fn read_entries<'de, A: MapAccess<'de>>(
        self,
        first: Option<(MapKey, Value)>,
        mut map: A,
    ) -> Result<Map, A::Error> {
        let inside = self.inside()?;
        let more = map.size_hint().unwrap_or(0).min(MAX_RESERVED);
        let mut entries = Entries::with_capacity(more + usize::from(first.is_some()));
        if let Some((name, value)) = first {
            entries.insert(name.0, value);
        }
        while let Some(name) = map.next_key::<MapKey>()? {
            let value = map.next_value_seed(inside)?;
            entries.insert(name.0, value);
        }
        Ok(Map::from_entries(entries))
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! visit_as {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<Value, E> {
            Ok(Value::from(value))
        }
    )*};
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Value;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    visit_as! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_f64(f64)
        visit_str(&str) visit_string(String)
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Value, E> {
        i128::try_from(number)
            .map(Value::Integer)
            .map_err(|_| E::custom(format_args!("the integer {number} is too large")))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Value, E> {
        // Bytes become an array, which counts as a level.
        self.inside::<E>()?;
        Ok(bytes.iter().copied().collect())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    // Some formats can nest options and newtypes without limit, so they count as well.
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.inside()?.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        self.inside()?.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut items = Vec::with_capacity(list.size_hint().unwrap_or(0).min(MAX_RESERVED));
        while let Some(item) = list.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(Value::Array(Arc::new(items)))
    }

    /// Reads a map or a number. `serde_json` passes numbers as maps if any package of the program
    /// enables its feature `arbitrary_precision`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let Some(name) = map.next_key::<MapKey>()? else { return Ok(Value::Object(Map::new())) };
        let value = map.next_value_seed(inside)?;
        match &value {
            Value::String(digits) if &*name.0 == NUMBER && is_number(digits) => {
                Value::from_json(digits).map_err(A::Error::custom)
            }
            _ => self.read_entries(Some((name, value)), map).map(Value::Object),
        }
    }
}

/// The key of a map, created without an intermediate `String`.
struct MapKey(Arc<str>);

impl<'de> Deserialize<'de> for MapKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MapKeyVisitor)
    }
}

struct MapKeyVisitor;

impl Visitor<'_> for MapKeyVisitor {
    type Value = MapKey;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a string as the key of a map")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<MapKey, E> {
        Ok(MapKey(name.into()))
    }
}

struct MapVisitor;

impl<'de> Visitor<'de> for MapVisitor {
    type Value = Map;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Map, A::Error> {
        ValueSeed { depth: 0 }.read_entries(None, map)
    }
}
