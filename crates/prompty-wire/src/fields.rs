//! Fields of providers' JSON, read leniently: a field of another type than the protocol says counts as
//! missing, so that one odd value does not lose an answer.

use std::borrow::Cow;
use std::fmt;

use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, to_string};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// How what was read is written again: a number with a fraction stays one.
pub(super) const EXACT: JsonStyle<'static> = JsonStyle { exact_floats: true, ..JsonStyle::COMPACT };

/// The JSON in which each field stands once, the last of its name, where it is JSON. Some gateways write a field of their
/// own beside that of the server behind them.
pub(super) fn with_single_fields(json: &str) -> Option<String> {
    Some(to_string(&Value::from_json(json).ok()?, EXACT))
}

/// Whether the JSON of a field says nothing.
pub(super) fn says_nothing(json: &str) -> bool {
    matches!(json, "null" | "false" | "\"\"" | "{}")
}

/// A text, borrowed from the JSON where it has no escapes; empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text<'j>(pub(super) Cow<'j, str>);

impl Text<'_> {
    /// The text, unless it is empty.
    pub(super) fn get(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

/// A whole number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Count(pub(super) Option<u64>);

/// A list; empty where there is none.
#[derive(Debug, Clone)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A map of known fields; `None` where there is none.
#[derive(Debug, Clone)]
pub(super) struct Object<T>(pub(super) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Visits nothing for each type that a field does not have.
macro_rules! other_types_are_missing {
    ($($name:ident: $type:ty,)*) => {$(
        fn $name<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    )*};
}

macro_rules! missing {
    () => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

macro_rules! no_list {
    () => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

macro_rules! no_map {
    () => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

pub(super) use {missing, no_map, other_types_are_missing};

impl<'de: 'j, 'j> Deserialize<'de> for Text<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }

            // Some gateways write codes of errors as numbers.
            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            other_types_are_missing! { visit_bool: bool, visit_f64: f64, }
            missing!();
            no_list!();
            no_map!();
        }

        deserializer.deserialize_any(TextVisitor)
    }
}

/// A JSON text that is written as a text, or JSON itself where a text should be; empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JsonText<'j>(pub(super) Cow<'j, str>);

impl<'de: 'j, 'j> Deserialize<'de> for JsonText<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonTextVisitor;

        impl<'de> Visitor<'de> for JsonTextVisitor {
            type Value = JsonText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(text)))
            }

            // Values stand as they are written: numbers keep all their digits.
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut json = String::from("{");
                while let Some((name, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    if json.len() > 1 {
                        json.push(',');
                    }
                    json.push_str(&serde_json::to_string(&*name.0).map_err(de::Error::custom)?);
                    json.push(':');
                    json.push_str(&compact(value.get()));
                }
                json.push('}');
                Ok(JsonText(Cow::Owned(json)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element::<&'de RawValue>()? {
                    items.push(compact(item.get()));
                }
                Ok(JsonText(Cow::Owned(format!("[{}]", items.join(",")))))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(value.to_string())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(number.to_string())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(number.to_string())))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(number.to_string())))
            }

            missing!();
        }

        deserializer.deserialize_any(JsonTextVisitor)
    }
}

/// JSON text without white space between its parts. Numbers keep all their digits.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    if !json.bytes().any(is_space) {
        return Cow::Borrowed(json);
    }
    let (mut in_text, mut is_escaped) = (false, false);
    let kept = json.chars().filter(|letter| {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_text,
            '"' => in_text = !in_text,
            _ => {}
        }
        in_text || !letter.is_ascii_whitespace()
    });
    Cow::Owned(kept.collect())
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;

        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Count(Some(number)))
            }

            // Some gateways count in floats.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count that is no whole number in range is missing"
            )]
            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                let whole = number as u64;
                #[expect(clippy::cast_precision_loss, reason = "it is compared")]
                Ok(Count((whole as f64 == number).then_some(whole)))
            }

            other_types_are_missing! { visit_bool: bool, visit_i64: i64, visit_str: &str, }
            missing!();
            no_list!();
            no_map!();
        }

        deserializer.deserialize_any(CountVisitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let Some(first) = list.next_element()? else { return Ok(List::default()) };
                // Most lists have one item, and room for more of such a size is slow to get.
                let mut items = Vec::with_capacity(1);
                items.push(first);
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(List(items))
            }

            other_types_are_missing! {
                visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str,
            }
            missing!();
            no_map!();
        }

        deserializer.deserialize_any(ListVisitor(std::marker::PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let fields = de::value::MapAccessDeserializer::new(map);
                T::deserialize(fields).map(|fields| Object(Some(fields)))
            }

            other_types_are_missing! {
                visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str,
            }
            missing!();
            no_list!();
        }

        deserializer.deserialize_any(ObjectVisitor(std::marker::PhantomData))
    }
}

/// A text, or what else may stand in its place; the default of that where it is neither.
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
        struct TextOrVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for TextOrVisitor<T> {
            type Value = TextOr<'de, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or parts of one")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(Cow::Owned(text.to_owned()))))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(TextOr::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::SeqAccessDeserializer::new(list)).map(TextOr::Other)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(TextOr::default())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(TextOr::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(TextOr::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(TextOr::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(TextOr::default())
            }
        }

        deserializer.deserialize_any(TextOrVisitor(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, Default)]
    struct Fields<'j> {
        #[serde(borrow, default)]
        name: Text<'j>,
        #[serde(default)]
        index: Count,
        #[serde(borrow, default)]
        inner: Object<Inner<'j>>,
        #[serde(borrow, default)]
        list: List<Text<'j>>,
    }

    #[derive(Debug, Deserialize)]
    struct Inner<'j> {
        #[serde(borrow, default)]
        name: Text<'j>,
    }

    fn read(json: &str) -> Fields<'_> {
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
