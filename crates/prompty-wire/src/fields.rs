//! Lenient types for the fields of providers' JSON. A field of an unexpected type counts as
//! missing, so that one odd value does not lose an answer. A [`Strict`] field may have content, so
//! there another type is an error.
//!
//! [`json_objects`] declares a struct of such fields. A [`FieldVisitor`] reads each field, and
//! calls the function of [`Field`] for the JSON type that it finds. By default, these functions
//! return a missing value. [`Count`] implements only those of numbers, so `"index": "x"` is a
//! missing index.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use prompty_core::value::internal::json::{JsonStyle, to_string};
use prompty_core::work::add_steps;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::value_budget::bounded_value;

/// The style that writes values back: `1.0` stays a number with a fraction.
pub(super) const EXACT: JsonStyle<'static> = JsonStyle { exact_floats: true, ..JsonStyle::COMPACT };

/// The JSON with the last of each duplicate field, if it is JSON. Some gateways add a field of
/// their own to an answer that already has it.
pub(super) fn with_single_fields(json: &str) -> Option<String> {
    Some(to_string(&bounded_value(json)?, EXACT))
}

/// Whether the JSON of a field has no content.
pub(super) fn is_empty_json(json: &str) -> bool {
    matches!(json, "null" | "false" | "\"\"" | "{}")
}

/// A string, borrowed from the JSON if it has no escapes; empty if it is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text<'j>(pub(super) Cow<'j, str>);

impl Text<'_> {
    /// The text, unless it is empty.
    pub(super) fn get(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

/// A non-negative integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Count(pub(super) Option<u64>);

/// The maximum number of items of an array. An item may need much more memory than its JSON.
pub(super) const MAX_ITEMS: usize = 1024;

/// An array of at most `MAX` items; empty if it is missing.
#[derive(Debug, Clone)]
pub(super) struct List<T, const MAX: usize = MAX_ITEMS>(pub(super) Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An object with known fields; `None` if it is missing.
#[derive(Debug, Clone)]
pub(super) struct Object<T>(pub(super) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Declares structs that are read from JSON objects. Each field may be missing, and may borrow from
/// the JSON, whose lifetime is `'j`.
macro_rules! json_objects {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident<$life:lifetime> {
            $($(#[$of_field:meta])* $visibility_of_field:vis $field:ident: $type:ty,)*
        }
    )*) => {$(
        #[derive(serde::Deserialize)]
        $(#[$attribute])*
        #[serde(bound(deserialize = "'de: 'j"))]
        $visibility struct $name<$life> {
            $($(#[$of_field])* #[serde(default)] $visibility_of_field $field: $type,)*
        }
    )*};
}

pub(super) use json_objects;

/// The type of a field, read from every type of JSON. By default it is missing.
pub(super) trait Field<'de>: Default {
    fn from_text(_: Cow<'de, str>) -> Self {
        Self::default()
    }

    fn from_bool(_: bool) -> Self {
        Self::default()
    }

    fn from_integer(_: i128) -> Self {
        Self::default()
    }

    fn from_f64(_: f64) -> Self {
        Self::default()
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// A field whose type must be the expected one, because another type may be content that is lost.
/// Values without content, such as `null` and `false`, count as missing.
#[derive(Debug, Clone, Default)]
pub(super) struct Strict<F> {
    pub(super) value: F,
}

/// A field that is read from one type of JSON.
pub(super) trait StrictField<'de>: Field<'de> {
    const TYPE: JsonType;
}

/// The JSON type of a strict field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonType {
    Text,
    List,
    Object,
    /// A string or an array.
    TextOrList,
}

impl JsonType {
    fn takes_text(self) -> bool {
        matches!(self, Self::Text | Self::TextOrList)
    }

    fn takes_list(self) -> bool {
        matches!(self, Self::List | Self::TextOrList)
    }

    fn error<E: de::Error>(self, found: &str) -> E {
        let expected = match self {
            Self::Text => "a string",
            Self::List => "an array",
            Self::Object => "an object",
            Self::TextOrList => "a string or an array",
        };
        E::custom(format!("expected {expected}, found {found}"))
    }
}

impl<'de: 'j, 'j> StrictField<'de> for Text<'j> {
    const TYPE: JsonType = JsonType::Text;
}

impl<'de, T: Deserialize<'de>> StrictField<'de> for List<T> {
    const TYPE: JsonType = JsonType::List;
}

impl<'de, T: Deserialize<'de>> StrictField<'de> for Object<T> {
    const TYPE: JsonType = JsonType::Object;
}

struct StrictVisitor<F>(PhantomData<F>);

impl<'de, F: StrictField<'de>> StrictVisitor<F> {
    fn text<E: de::Error>(text: Cow<'de, str>) -> Result<F, E> {
        match (F::TYPE.takes_text(), text.is_empty()) {
            (true, _) => Ok(F::from_text(text)),
            (false, true) => Ok(F::default()),
            (false, false) => Err(F::TYPE.error("a string")),
        }
    }
}

impl<'de, F: StrictField<'de>> Visitor<'de> for StrictVisitor<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any type")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<F, E> {
        Self::text(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<F, E> {
        Self::text(Cow::Owned(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<F, E> {
        Ok(F::default())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<F, E> {
        if value { Err(F::TYPE.error("`true`")) } else { Ok(F::default()) }
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<F, E> {
        Err(F::TYPE.error("a number"))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<F, E> {
        Err(F::TYPE.error("a number"))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<F, E> {
        Err(F::TYPE.error("a number"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<F, A::Error> {
        if F::TYPE.takes_list() {
            return F::from_list(list);
        }
        match list.next_element::<IgnoredAny>()? {
            Some(_) => Err(F::TYPE.error("an array")),
            None => Ok(F::default()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<F, A::Error> {
        if F::TYPE == JsonType::Object {
            return F::from_map(map);
        }
        match map.next_entry::<IgnoredAny, IgnoredAny>()? {
            Some(_) => Err(F::TYPE.error("an object")),
            None => Ok(F::default()),
        }
    }
}

impl<'de, F: StrictField<'de>> Deserialize<'de> for Strict<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(StrictVisitor(PhantomData))?;
        Ok(Self { value })
    }
}

impl<F> std::ops::Deref for Strict<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.value
    }
}

struct FieldVisitor<F>(PhantomData<F>);

impl<'de, F: Field<'de>> Visitor<'de> for FieldVisitor<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any type")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<F, E> {
        Ok(F::from_text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<F, E> {
        Ok(F::from_text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<F, E> {
        Ok(F::default())
    }

    fn visit_bool<E>(self, value: bool) -> Result<F, E> {
        Ok(F::from_bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<F, E> {
        Ok(F::from_integer(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<F, E> {
        Ok(F::from_integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<F, E> {
        Ok(F::from_f64(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<F, A::Error> {
        F::from_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<F, A::Error> {
        F::from_map(map)
    }
}

pub(super) fn read_field<'de, F: Field<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<F, D::Error> {
    deserializer.deserialize_any(FieldVisitor(PhantomData))
}

impl<'de: 'j, 'j> Deserialize<'de> for Text<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field::<Text<'de>, D>(deserializer)
    }
}

impl<'de: 'j, 'j> Field<'de> for Text<'j> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self(text)
    }

    // Some gateways write error codes as numbers.
    fn from_integer(number: i128) -> Self {
        Self(Cow::Owned(number.to_string()))
    }
}

/// JSON text inside a string, or JSON itself in its place; empty if it is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JsonText<'j>(pub(super) Cow<'j, str>);

impl<'de: 'j, 'j> Deserialize<'de> for JsonText<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field::<JsonText<'de>, D>(deserializer)
    }
}

impl<'de> Field<'de> for JsonText<'de> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self(text)
    }

    fn from_bool(value: bool) -> Self {
        Self(Cow::Owned(value.to_string()))
    }

    fn from_integer(number: i128) -> Self {
        Self(Cow::Owned(number.to_string()))
    }

    fn from_f64(number: f64) -> Self {
        Self(Cow::Owned(number.to_string()))
    }

    // Values are copied as text, so that numbers keep all their digits.
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut json = "{".to_owned();
        while let Some((name, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            let comma = if json.len() > 1 { "," } else { "" };
            let name = serde_json::to_string(&*name.0).map_err(de::Error::custom)?;
            json.extend([comma, &name, ":", &compact(value.get())]);
        }
        json.push('}');
        Ok(Self(Cow::Owned(json)))
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut json = "[".to_owned();
        while let Some(item) = list.next_element::<&'de RawValue>()? {
            let comma = if json.len() > 1 { "," } else { "" };
            json.extend([comma, &compact(item.get())]);
        }
        json.push(']');
        Ok(Self(Cow::Owned(json)))
    }
}

/// JSON text without white space between its tokens. Numbers keep all their digits.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    add_steps(json.len());
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    if !json.bytes().any(is_space) {
        return Cow::Borrowed(json);
    }
    let (mut in_string, mut is_escaped) = (false, false);
    let kept = json.chars().filter(|character| {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_string,
            '"' => in_string = !in_string,
            _ => {}
        }
        in_string || !character.is_ascii_whitespace()
    });
    Cow::Owned(kept.collect())
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl Field<'_> for Count {
    fn from_integer(number: i128) -> Self {
        Self(u64::try_from(number).ok())
    }

    // Some gateways count in floats.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count that is not an integer in range is missing"
    )]
    fn from_f64(number: f64) -> Self {
        let integer = number as u64;
        #[expect(clippy::cast_precision_loss, reason = "the result is compared")]
        Self((integer as f64 == number).then_some(integer))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Field<'de> for List<T, MAX> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let Some(first) = list.next_element()? else { return Ok(Self::default()) };
        // Most arrays have one item. More capacity for items of this size is slow to allocate.
        let mut items = Vec::with_capacity(1);
        items.push(first);
        while let Some(item) = list.next_element()? {
            if items.len() >= MAX {
                return Err(too_many(MAX, "items in an array"));
            }
            items.push(item);
        }
        Ok(Self(items))
    }
}

/// The beginning of the error of [`too_many`], which `serde_json` passes on only as text.
pub(super) const TOO_MANY: &str = "more than ";

/// The error of too many items or parts.
pub(super) fn too_many<E: de::Error>(max: usize, what: &str) -> E {
    E::custom(format!("{TOO_MANY}{max} {what}"))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl<'de, T: Deserialize<'de>> Field<'de> for Object<T> {
    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|fields| Self(Some(fields)))
    }
}

/// A string or another type; the other type's default if it is neither.
#[derive(Debug, Clone)]
pub(super) enum TextOr<'j, T> {
    Text(Text<'j>),
    Other(T),
}

impl<T: Default> Default for TextOr<'_, T> {
    fn default() -> Self {
        Self::Other(T::default())
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de> + Default> Deserialize<'de> for TextOr<'j, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field::<TextOr<'de, T>, D>(deserializer)
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de> + Default> StrictField<'de> for TextOr<'j, T> {
    const TYPE: JsonType = JsonType::TextOrList;
}

impl<'de: 'j, 'j, T: Deserialize<'de> + Default> Field<'de> for TextOr<'j, T> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self::Text(Text(text))
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(Self::Other)
    }

    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self::Other)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, Default)]
    struct TestFields<'j> {
        #[serde(borrow, default)]
        name: Text<'j>,
        #[serde(default)]
        index: Count,
        #[serde(borrow, default)]
        inner: Object<InnerFields<'j>>,
        #[serde(borrow, default)]
        list: List<Text<'j>>,
    }

    #[derive(Debug, Deserialize)]
    struct InnerFields<'j> {
        #[serde(borrow, default)]
        name: Text<'j>,
    }

    fn read(json: &str) -> TestFields<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn fields_of_their_type_are_read() {
        let json = r#"{"name": "a", "index": 1.0, "inner": {"name": "b\n"}, "list": ["c", null]}"#;
        let fields = read(json);
        assert!(matches!(fields.name.0, Cow::Borrowed("a")));
        assert_eq!(fields.index.0, Some(1));
        assert_eq!(fields.inner.0.unwrap().name.get(), Some("b\n"));
        assert_eq!(fields.list.0, [Text("c".into()), Text::default()]);
    }

    #[test]
    fn fields_of_other_types_are_missing() {
        for value in ["null", "true", "[1]", r#"{"a": [1]}"#, "1.5", "-1"] {
            let json = format!(r#"{{"index": {value}, "inner": {value}, "list": {value}}}"#);
            let fields = read(&json);
            assert_eq!(fields.index.0, None, "{value}");
            assert!(fields.inner.0.is_none_or(|it| it.name.get().is_none()), "{value}");
            assert!(fields.list.0.len() < 2, "{value}");
            assert!(
                read(&format!(r#"{{"name": {value}}}"#)).name.get().is_none_or(|it| it == "-1")
            );
        }
    }
}
