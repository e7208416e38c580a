//! The JSON schema of a Rust type, as models need it: what must be known of its values, and nothing
//! about Rust.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map as JsonMap, Value as Json};

use prompty_core::schema::{Holds, holds};
use prompty_core::value::{Map, Value};

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
    let mut schema = root_schema::<T>();
    schema.insert("type".to_owned(), "object".into());
    schema.entry("properties").or_insert_with(|| JsonMap::new().into());
    simplify_map(&mut schema);
    schema.shift_remove("description");
    as_map(&schema)
}

/// The schema of a type's values. Doc comments are the descriptions.
#[cfg(feature = "output")]
pub(crate) fn values<T: JsonSchema>() -> TypeSchema {
    let mut schema = root_schema::<T>();
    let has_constraints = has_constraints(&schema);
    simplify_map(&mut schema);
    TypeSchema { schema: as_map(&schema), has_constraints }
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
#[cfg(feature = "output")]
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

#[cfg(feature = "output")]
fn has_constraints(schema: &JsonMap<String, Json>) -> bool {
    let format = schema.get("format").and_then(Json::as_str);
    let is_of_rust = format.is_some_and(|it| RUST_FORMATS.contains(&it));
    if format.is_some() && !is_of_rust {
        return true;
    }
    let holds = |keyword: &str| {
        let bound = schema.get(keyword).and_then(Json::as_i64);
        match keyword {
            // The ranges of Rust's types of numbers.
            "minimum" if is_of_rust => !matches!(bound, Some(0 | -128 | -32_768)),
            "maximum" if is_of_rust => !matches!(bound, Some(127 | 255 | 32_767 | 65_535)),
            // The items of a tuple or an array.
            "minItems" | "maxItems" => !schema.contains_key("prefixItems"),
            _ => true,
        }
    };
    CONSTRAINTS.iter().any(|it| schema.contains_key(*it) && holds(it))
        || schema.iter().any(|(keyword, value)| {
            match (prompty_core::schema::holds(keyword), value) {
                (Some(Holds::Schema), Json::Object(schema)) => has_constraints(schema),
                (Some(Holds::List), Json::Array(schemas)) => {
                    schemas.iter().filter_map(Json::as_object).any(has_constraints)
                }
                (Some(Holds::Map), Json::Object(schemas)) => {
                    schemas.values().filter_map(Json::as_object).any(has_constraints)
                }
                _ => false,
            }
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

fn as_map(schema: &JsonMap<String, Json>) -> Map {
    Value::from_serialize(schema)
        .ok()
        .and_then(|schema| schema.as_object().cloned())
        .unwrap_or_default()
}

fn simplify(schema: &mut Json) {
    match schema {
        Json::Object(schema) => simplify_map(schema),
        // Not all readers of schemas know that `true` is one.
        Json::Bool(true) => *schema = JsonMap::new().into(),
        _ => {}
    }
}

fn simplify_map(schema: &mut JsonMap<String, Json>) {
    merge_title(schema);
    let is_of_rust = |format: &Json| format.as_str().is_some_and(|it| RUST_FORMATS.contains(&it));
    if schema.get("format").is_some_and(is_of_rust) {
        schema.shift_remove("format");
    }
    for (keyword, value) in schema.iter_mut() {
        match (holds(keyword), value) {
            // Where it allows what is not named, `true` is the usual form.
            (Some(Holds::Schema), Json::Bool(true)) if is_of_the_rest(keyword) => {}
            (Some(Holds::Schema), schema) => simplify(schema),
            (Some(Holds::List), Json::Array(schemas)) => schemas.iter_mut().for_each(simplify),
            (Some(Holds::Map), Json::Object(schemas)) => {
                schemas.iter_mut().for_each(|(_, schema)| simplify(schema));
            }
            _ => {}
        }
    }
    remove_null_of_optional_properties(schema);
    sort(schema);
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
fn merge_title(schema: &mut JsonMap<String, Json>) {
    let Some(Json::String(title)) = schema.shift_remove("title") else { return };
    let text = match schema.get("description").and_then(Json::as_str) {
        Some(description) => format!("{title}\n\n{description}"),
        None => title,
    };
    schema.insert("description".to_owned(), text.into());
}

fn sort(schema: &mut JsonMap<String, Json>) {
    let rank = |key: &str| ORDER.iter().position(|it| *it == key).unwrap_or(ORDER.len());
    let mut entries: Vec<(String, Json)> = std::mem::take(schema).into_iter().collect();
    entries.sort_by(|(a, _), (b, _)| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    // Definitions come last, where they disturb readers least.
    let (definitions, rest): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| key == "$defs");
    schema.extend(rest.into_iter().chain(definitions));
}

/// Removes `null` from the schemas of optional properties: a model leaves them out.
fn remove_null_of_optional_properties(schema: &mut JsonMap<String, Json>) {
    let required: Vec<String> = schema
        .get("required")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let properties = schema.get_mut("properties").and_then(Json::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Json::Object(property) = property else { continue };
        if property.get("default").is_some_and(Json::is_null) {
            property.shift_remove("default");
        }
        // With another default, `null` means something else than leaving the property out.
        if !required.contains(name) && !property.contains_key("default") {
            remove_null(property);
        }
    }
}

fn remove_null(schema: &mut JsonMap<String, Json>) {
    if let Some(Json::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Json::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Json::Array(parts)) = schema.get_mut(key) else { continue };
        parts.retain(|part| part.get("type").is_none_or(|name| name != "null"));
        if let [Json::Object(only)] = parts.as_slice() {
            let only = only.clone();
            schema.shift_remove(key);
            // Keywords of the field take precedence over those of its type.
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
}
