//! The JSON schema of a Rust type in a form for models, without details of Rust.
//!
//! schemars generates the schema of `struct City { population: Option<u64> }` with the property
//! `{"type": ["integer", "null"], "format": "uint64", "minimum": 0}`. [`SchemaReader`] makes it
//! `{"type": "integer", "minimum": 0}`: without the format, which names a type of Rust, and without
//! `null`, because a model leaves an optional property out.

use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map as JsonMap, Value as Json};

use prompty_core::schema::{SubschemaForm, subschema_form};
use prompty_core::value::{Map, Value};

#[cfg(feature = "tools")]
use crate::type_cache::TypeCache;
#[cfg(feature = "tools")]
use crate::union_work;

/// Formats that name Rust's number types. `minimum` and `maximum` have their ranges.
const RUST_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// The formats of `f32` and `f64`, in this order.
pub(crate) const FLOAT_FORMATS: [&str; 2] = ["float", "double"];

/// Keywords in the order in which they are written; other keywords follow by name. The order of
/// schemars depends on its feature `preserve_order`, and a prompt must not depend on that.
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

/// The schema of a tool's arguments, which are the fields of the type. It has no description, since
/// the tool has one.
#[cfg(feature = "tools")]
pub(crate) fn parameter_schema<T: JsonSchema>() -> Map {
    static OF_TYPES: TypeCache<Map> = TypeCache::new();

    OF_TYPES.get::<T>(|| {
        let mut schema = root_schema::<T>();
        // The type accepts any value, so its arguments may have any names.
        if schema.is_empty() {
            schema.insert("additionalProperties".to_owned(), true.into());
        }
        schema.insert("type".to_owned(), "object".into());
        schema.entry("properties").or_insert_with(|| JsonMap::new().into());
        let mut schema = SchemaReader::default().read_map(schema, SchemaPosition::Inner);
        schema.remove("description");
        schema
    })
}

/// Whether a tool's arguments contain themselves in a union: see [`union_work`].
#[cfg(feature = "tools")]
pub(crate) fn parameters_have_recursive_union<T: JsonSchema>() -> bool {
    static OF_TYPES: TypeCache<bool> = TypeCache::new();

    OF_TYPES.get::<T>(|| union_work::has_recursive_union(&Value::Object(parameter_schema::<T>())))
}

/// The schema of a type's values. Doc comments are the descriptions.
#[cfg(feature = "output")]
pub(crate) fn value_schema<T: JsonSchema>() -> TypeSchema {
    let mut reader = SchemaReader::default();
    let schema = reader.read_map(root_schema::<T>(), SchemaPosition::Inner);
    let SchemaReader { has_constraints, has_floats, .. } = reader;
    let schema_with_floats = has_floats.then(|| {
        let mut reader = SchemaReader { keeps_float_formats: true, ..SchemaReader::default() };
        reader.read_map(root_schema::<T>(), SchemaPosition::Inner)
    });
    TypeSchema { schema, has_constraints, schema_with_floats }
}

/// The schema of a type's values.
#[cfg(feature = "output")]
#[derive(Debug)]
pub struct TypeSchema {
    pub(crate) schema: Map,
    /// Whether it has constraints that deserialization does not check, such as a range.
    pub(crate) has_constraints: bool,
    /// The schema with the formats of Rust's floats, if it has numbers that may have a fraction.
    pub(crate) schema_with_floats: Option<Map>,
}

/// Keywords that deserialization does not check. In an object with any keys, it does not check that
/// each key occurs once.
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

/// Whether a schema, without its nested schemas, has constraints that deserialization does not
/// check.
fn is_constrained(schema: &[(String, Json)]) -> bool {
    let format = get(schema, "format").and_then(Json::as_str);
    let is_of_rust = format.is_some_and(|it| RUST_FORMATS.contains(&it));
    if format.is_some() && !is_of_rust {
        return true;
    }
    schema.iter().any(|(keyword, value)| match &**keyword {
        // The ranges of Rust's number types, as far as schemars writes them.
        "minimum" if is_of_rust => !matches!(value.as_i64(), Some(0 | -128 | -32_768)),
        "maximum" if is_of_rust => !matches!(value.as_i64(), Some(127 | 255 | 32_767 | 65_535)),
        // The length of a tuple or an array.
        "minItems" | "maxItems" => get(schema, "prefixItems").is_none(),
        "additionalProperties" => *value != Json::Bool(false),
        // A number may be too large for an `f32`.
        "format" => value == "float",
        keyword => CONSTRAINTS.contains(&keyword),
    })
}

/// Whether a schema, without its nested schemas, accepts numbers with a fraction.
fn accepts_floats(schema: &[(String, Json)]) -> bool {
    match get(schema, "type") {
        Some(Json::Array(kinds)) => kinds.iter().any(|it| it == "number"),
        kind => kind.is_some_and(|it| it == "number"),
    }
}

/// The schema that schemars generates, without its title. The title is the name of the Rust type,
/// or the heading of its doc comment.
fn root_schema<T: JsonSchema>() -> JsonMap<String, Json> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = match schema.to_value() {
        Json::Object(schema) => schema,
        // The type accepts any value.
        _ => JsonMap::new(),
    };
    schema.shift_remove("title");
    schema
}

/// Converts schemas of schemars in one pass. Entries are in lists meanwhile, since there are few of
/// them.
#[derive(Debug, Default)]
struct SchemaReader {
    /// Whether any schema has constraints that deserialization does not check.
    has_constraints: bool,
    /// Whether any schema accepts numbers with a fraction.
    has_floats: bool,
    /// Whether schemas of Rust's floats keep their format.
    keeps_float_formats: bool,
    /// The first distinct strings, which later occurrences share: keywords, and names of types and
    /// properties. A schema consists mostly of them.
    shared_strings: Vec<Arc<str>>,
}

/// The maximum number of shared strings, which are searched linearly.
const MAX_SHARED_STRINGS: usize = 32;

type SchemaEntry = (Arc<str>, Value);

/// The position of a schema in the schema around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaPosition {
    /// It is not the schema of a property.
    Inner,
    RequiredProperty,
    OptionalProperty,
}

impl SchemaReader {
    fn read_schema(&mut self, schema: Json, place: SchemaPosition) -> Value {
        match schema {
            Json::Object(schema) => Value::Object(self.read_map(schema, place)),
            // Not all consumers of schemas accept `true` as a schema.
            Json::Bool(true) => {
                self.has_constraints = true;
                Value::Object(Map::new())
            }
            other => self.read_value(other),
        }
    }

    fn read_map(&mut self, schema: JsonMap<String, Json>, place: SchemaPosition) -> Map {
        let mut schema: Vec<(String, Json)> = schema.into_iter().collect();
        self.has_constraints |= is_constrained(&schema);
        self.has_floats |= accepts_floats(&schema);
        merge_title(&mut schema);
        schema.retain(|(keyword, value)| keyword != "format" || self.keeps_format(value));
        schema.sort_by_cached_key(|(keyword, _)| KeywordRank::new(keyword));
        let required = schema.iter_mut().find(|(keyword, _)| keyword == "required");
        let required = required.map(|(_, names)| std::mem::take(names)).unwrap_or_default();
        let required = self.read_value(required);
        let mut read = Vec::with_capacity(schema.len());
        for (keyword, value) in schema {
            let value = match &*keyword {
                "required" => required.clone(),
                keyword => self.read_keyword(keyword, value, &required),
            };
            read.push((self.share(&keyword), value));
        }
        if place != SchemaPosition::Inner {
            read.retain(|(keyword, value)| **keyword != *"default" || !value.is_null());
        }
        // With another default, `null` differs from leaving the property out.
        if place == SchemaPosition::OptionalProperty && get(&read, "default").is_none() {
            remove_null(&mut read);
        }
        read.into_iter().collect()
    }

    fn keeps_format(&self, format: &Json) -> bool {
        let Some(format) = format.as_str() else { return true };
        let is_kept_float = self.keeps_float_formats && FLOAT_FORMATS.contains(&format);
        is_kept_float || !RUST_FORMATS.contains(&format)
    }

    /// The value of a keyword. `required` are the names of the required properties.
    fn read_keyword(&mut self, keyword: &str, json: Json, required: &Value) -> Value {
        match (subschema_form(keyword), json) {
            // `true` is the usual form here: it allows unnamed properties or items.
            (Some(SubschemaForm::Schema), Json::Bool(true)) if applies_to_others(keyword) => {
                Value::Bool(true)
            }
            (Some(SubschemaForm::Schema), schema) => {
                self.read_schema(schema, SchemaPosition::Inner)
            }
            (Some(SubschemaForm::List), Json::Array(schemas)) => {
                schemas.into_iter().map(|it| self.read_schema(it, SchemaPosition::Inner)).collect()
            }
            (Some(SubschemaForm::Map), Json::Object(schemas)) => {
                let required = required.as_array().unwrap_or_default();
                let is_required = |name: &str| required.iter().any(|it| it.as_str() == Some(name));
                let read = |(name, schema): (String, Json)| {
                    let place = match keyword == "properties" {
                        true if is_required(&name) => SchemaPosition::RequiredProperty,
                        true => SchemaPosition::OptionalProperty,
                        false => SchemaPosition::Inner,
                    };
                    (self.share(&name), self.read_schema(schema, place))
                };
                Value::Object(schemas.into_iter().map(read).collect())
            }
            (None, Json::String(name)) if keyword == "type" => Value::String(self.share(&name)),
            (_, json) => self.read_value(json),
        }
    }

    /// JSON that is not a schema.
    fn read_value(&mut self, json: Json) -> Value {
        match json {
            Json::String(text) => text.into(),
            Json::Bool(value) => value.into(),
            Json::Array(items) => {
                let item = |item| match item {
                    Json::String(word) => Value::String(self.share(&word)),
                    item => self.read_value(item),
                };
                items.into_iter().map(item).collect()
            }
            json => Value::from_serialize(&json).unwrap_or_default(),
        }
    }

    /// The string, which is shared with earlier occurrences.
    fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(word) = self.shared_strings.iter().find(|word| ***word == *text) {
            return Arc::clone(word);
        }
        let word: Arc<str> = text.into();
        if self.shared_strings.len() < MAX_SHARED_STRINGS {
            self.shared_strings.push(Arc::clone(&word));
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

/// Whether the value of a keyword is the schema of all items or properties without their own
/// schema.
fn applies_to_others(keyword: &str) -> bool {
    matches!(
        keyword,
        "additionalItems" | "additionalProperties" | "unevaluatedItems" | "unevaluatedProperties"
    )
}

/// Prepends a title to the description, since models read only the description. A title is the
/// heading of a doc comment.
fn merge_title(schema: &mut Vec<(String, Json)>) {
    let Some(at) = schema.iter().position(|(keyword, _)| keyword == "title") else { return };
    let (_, Json::String(title)) = schema.remove(at) else { return };
    match get_mut(schema, "description") {
        Some(Json::String(description)) => description.insert_str(0, &format!("{title}\n\n")),
        Some(other) => *other = title.into(),
        None => schema.push(("description".to_owned(), title.into())),
    }
}

/// The sort key of a keyword: its index in [`ORDER`], or else its name. Definitions are last, where
/// they disturb readers least.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum KeywordRank {
    Known(usize),
    Other(String),
    Definitions,
}

impl KeywordRank {
    fn new(keyword: &str) -> Self {
        match ORDER.iter().position(|it| *it == keyword) {
            Some(place) => Self::Known(place),
            None if keyword == "$defs" => Self::Definitions,
            None => Self::Other(keyword.to_owned()),
        }
    }
}

/// Removes `null` from the schema of an optional property, since a model leaves the property out
/// instead.
fn remove_null(schema: &mut Vec<SchemaEntry>) {
    if let Some(names) = get_mut(schema, "type")
        && let Value::Array(types) = names
    {
        let kept = types.iter().filter(|name| name.as_str() != Some("null"));
        let kept: Vec<Value> = kept.cloned().collect();
        *names = match kept.as_slice() {
            [only] => only.clone(),
            _ => Value::from(kept),
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
