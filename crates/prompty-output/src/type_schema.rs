//! The JSON schema of a Rust type, as models need it: what must be known of its values, and nothing
//! about Rust.

use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map as JsonMap, Value as Json};

use prompty_core::schema::{Holds, holds};
use prompty_core::value::{Map, Value};

#[cfg(feature = "tools")]
use crate::per_type::PerType;

/// Formats that name Rust's types of numbers. `minimum` and `maximum` have their ranges.
const RUST_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// Keywords in the order in which they are written; others follow by name. The order of schemars
/// depends on its feature `preserve_order`, and a prompt must not change with that.
const ORDER: [&str; 16] = [
    "$ref",
    "type",
    "description",
    "const",
    "enum",
    "format",
    "minimum",
    "maximum",
    "properties",
    "prefixItems",
    "items",
    "oneOf",
    "anyOf",
    "allOf",
    "required",
    "additionalProperties",
];

/// The schema of the arguments that a type has as fields. The tool has a description of its own.
#[cfg(feature = "tools")]
pub(crate) fn parameters<T: JsonSchema>() -> Map {
    static OF_TYPES: PerType<Map> = PerType::new();

    OF_TYPES.get::<T>(read_parameters::<T>)
}

#[cfg(feature = "tools")]
fn read_parameters<T: JsonSchema>() -> Map {
    let mut schema = root_schema::<T>();
    // A type that takes anything: its arguments may have any names.
    if schema.is_empty() {
        schema.insert("additionalProperties".to_owned(), true.into());
    }
    schema.insert("type".to_owned(), "object".into());
    schema.entry("properties").or_insert_with(|| JsonMap::new().into());
    let mut schema = Reader::default().map(schema, Place::Inner);
    schema.remove("description");
    schema
}

/// The schema of a type's values. Doc comments are the descriptions.
#[cfg(feature = "output")]
pub(crate) fn values<T: JsonSchema>() -> TypeSchema {
    let mut reader = Reader::default();
    let schema = reader.map(root_schema::<T>(), Place::Inner);
    TypeSchema { schema, has_constraints: reader.has_constraints }
}

/// The schema of a type's values.
#[cfg(feature = "output")]
#[derive(Debug)]
pub struct TypeSchema {
    pub(crate) schema: Map,
    /// Whether it says something of values that the type itself does not hold them to, such as a range.
    pub(crate) has_constraints: bool,
}

/// Keywords that a type does not hold its values to.
const CONSTRAINTS: [&str; 18] = [
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "not",
    "pattern",
    "patternProperties",
    "uniqueItems",
];

/// Whether a schema itself, without those inside of it, says something that a type does not hold its values to.
fn is_constrained(schema: &[(String, Json)]) -> bool {
    let format = get(schema, "format").and_then(Json::as_str);
    let is_of_rust = format.is_some_and(|it| RUST_FORMATS.contains(&it));
    if format.is_some() && !is_of_rust {
        return true;
    }
    schema.iter().any(|(keyword, value)| match &**keyword {
        // The ranges of Rust's types of numbers.
        "minimum" if is_of_rust => !matches!(value.as_i64(), Some(0 | -128 | -32_768)),
        "maximum" if is_of_rust => !matches!(value.as_i64(), Some(127 | 255 | 32_767 | 65_535)),
        // The items of a tuple or an array.
        "minItems" | "maxItems" => get(schema, "prefixItems").is_none(),
        keyword => CONSTRAINTS.contains(&keyword),
    })
}

/// The schema as schemars makes it, without its title: that is the name of the Rust type, or the heading
/// of its doc comment.
fn root_schema<T: JsonSchema>() -> JsonMap<String, Json> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = match schema.to_value() {
        Json::Object(schema) => schema,
        // A type that takes anything.
        _ => JsonMap::new(),
    };
    schema.shift_remove("title");
    schema
}

/// Reads schemas as schemars makes them, in one pass. Their entries stand in lists meanwhile, as they are few.
#[derive(Debug, Default)]
struct Reader {
    /// Whether any of them says something that a type does not hold its values to.
    has_constraints: bool,
    /// The words that were read first, to be shared: keywords, names of types and of properties. They are most of
    /// what a schema is made of.
    words: Vec<Arc<str>>,
}

/// How many words are shared, at most: they are searched from end to end.
const MOST_WORDS: usize = 32;

type Entry = (Arc<str>, Value);

/// What a schema is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No property.
    Inner,
    RequiredProperty,
    OptionalProperty,
}

impl Reader {
    fn schema(&mut self, schema: Json, place: Place) -> Value {
        match schema {
            Json::Object(schema) => Value::Object(self.map(schema, place)),
            // Not all readers of schemas know that `true` is one.
            Json::Bool(true) => Value::Object(Map::new()),
            other => self.value(other),
        }
    }

    fn map(&mut self, schema: JsonMap<String, Json>, place: Place) -> Map {
        let mut schema: Vec<(String, Json)> = schema.into_iter().collect();
        self.has_constraints |= is_constrained(&schema);
        merge_title(&mut schema);
        schema.retain(|(keyword, value)| {
            keyword != "format" || value.as_str().is_none_or(|it| !RUST_FORMATS.contains(&it))
        });
        schema.sort_by_cached_key(|(keyword, _)| Rank::new(keyword));
        let required = schema.iter_mut().find(|(keyword, _)| keyword == "required");
        let required = required.map(|(_, names)| std::mem::take(names)).unwrap_or_default();
        let required = self.value(required);
        let mut read = Vec::with_capacity(schema.len());
        for (keyword, value) in schema {
            let value = match &*keyword {
                "required" => required.clone(),
                keyword => self.keyword(keyword, value, &required),
            };
            read.push((self.word(&keyword), value));
        }
        if place != Place::Inner {
            read.retain(|(keyword, value)| **keyword != *"default" || !value.is_null());
        }
        // With another default, `null` means something else than leaving the property out.
        if place == Place::OptionalProperty && get(&read, "default").is_none() {
            remove_null(&mut read);
        }
        read.into_iter().collect()
    }

    /// What stands under a keyword, beside those names that are required.
    fn keyword(&mut self, keyword: &str, json: Json, required: &Value) -> Value {
        match (holds(keyword), json) {
            // Where it allows what is not named, `true` is the usual form.
            (Some(Holds::Schema), Json::Bool(true)) if is_of_the_rest(keyword) => Value::Bool(true),
            (Some(Holds::Schema), schema) => self.schema(schema, Place::Inner),
            (Some(Holds::List), Json::Array(schemas)) => {
                schemas.into_iter().map(|it| self.schema(it, Place::Inner)).collect()
            }
            (Some(Holds::Map), Json::Object(schemas)) => {
                let required = required.as_array().unwrap_or_default();
                let is_required = |name: &str| required.iter().any(|it| it.as_str() == Some(name));
                let read = |(name, schema): (String, Json)| {
                    let place = match keyword == "properties" {
                        true if is_required(&name) => Place::RequiredProperty,
                        true => Place::OptionalProperty,
                        false => Place::Inner,
                    };
                    (self.word(&name), self.schema(schema, place))
                };
                Value::Object(schemas.into_iter().map(read).collect())
            }
            (None, Json::String(name)) if keyword == "type" => Value::String(self.word(&name)),
            (_, json) => self.value(json),
        }
    }

    /// JSON that is no schema.
    fn value(&mut self, json: Json) -> Value {
        match json {
            Json::String(text) => text.into(),
            Json::Bool(value) => value.into(),
            Json::Array(items) => {
                let item = |item| match item {
                    Json::String(word) => Value::String(self.word(&word)),
                    item => self.value(item),
                };
                items.into_iter().map(item).collect()
            }
            json => Value::from_serialize(&json).unwrap_or_default(),
        }
    }

    fn word(&mut self, text: &str) -> Arc<str> {
        if let Some(word) = self.words.iter().find(|word| ***word == *text) {
            return Arc::clone(word);
        }
        let word: Arc<str> = text.into();
        if self.words.len() < MOST_WORDS {
            self.words.push(Arc::clone(&word));
        }
        word
    }
}

fn get<'s, K: Deref<Target = str>, V>(schema: &'s [(K, V)], keyword: &str) -> Option<&'s V> {
    schema.iter().find(|(it, _)| **it == *keyword).map(|(_, value)| value)
}

fn get_mut<'s, K: Deref<Target = str>, V>(
    schema: &'s mut [(K, V)],
    keyword: &str,
) -> Option<&'s mut V> {
    schema.iter_mut().find(|(it, _)| **it == *keyword).map(|(_, value)| value)
}

/// Whether a keyword holds the schema of all items or properties that have no other.
fn is_of_the_rest(keyword: &str) -> bool {
    matches!(
        keyword,
        "additionalItems" | "additionalProperties" | "unevaluatedItems" | "unevaluatedProperties"
    )
}

/// Makes a title part of the description, which is what models read. A title is the heading of a doc
/// comment.
fn merge_title(schema: &mut Vec<(String, Json)>) {
    let Some(at) = schema.iter().position(|(keyword, _)| keyword == "title") else { return };
    let (_, Json::String(title)) = schema.remove(at) else { return };
    match get_mut(schema, "description") {
        Some(Json::String(description)) => description.insert_str(0, &format!("{title}\n\n")),
        Some(other) => *other = title.into(),
        None => schema.push(("description".to_owned(), title.into())),
    }
}

/// Where a keyword is written: its place in [`ORDER`], and among those that are not in it, its name. Definitions come
/// last, where they disturb readers least.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Known(usize),
    Other(String),
    Definitions,
}

impl Rank {
    fn new(keyword: &str) -> Self {
        match ORDER.iter().position(|it| *it == keyword) {
            Some(place) => Self::Known(place),
            None if keyword == "$defs" => Self::Definitions,
            None => Self::Other(keyword.to_owned()),
        }
    }
}

/// Removes `null` from the schema of an optional property: a model leaves it out.
fn remove_null(schema: &mut Vec<Entry>) {
    if let Some(names) = get_mut(schema, "type")
        && let Value::Array(types) = names
    {
        let kept = types.iter().filter(|name| name.as_str() != Some("null"));
        let mut kept: Vec<Value> = kept.cloned().collect();
        *names = match (kept.len(), kept.pop()) {
            (1, Some(only)) => only,
            (_, last) => kept.into_iter().chain(last).collect(),
        };
    }
    if let Some(Value::Array(values)) = get_mut(schema, "enum") {
        Arc::make_mut(values).retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(parts)) = get_mut(schema, keyword) else { continue };
        let parts = Arc::make_mut(parts);
        parts.retain(|part| part.get("type").and_then(Value::as_str) != Some("null"));
        let [Value::Object(only)] = parts.as_slice() else { continue };
        let only = only.clone();
        schema.retain(|(it, _)| **it != *keyword);
        // Keywords of the field take precedence over those of its type.
        for (keyword, value) in only.iter() {
            if get(schema, keyword).is_none() {
                schema.push((keyword.into(), value.clone()));
            }
        }
    }
}
