//! The JSON schema of a tool's arguments, as models want it: what a caller must know, and nothing
//! about Rust.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map as JsonMap, Value as Json};

use prompty_core::value::{Map, Value};

/// Names of formats that speak of Rust's numbers. What they say of range is in `minimum` and
/// `maximum`.
const FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// Keywords in the order in which they are told; others follow by name. schemars has another order
/// where a program turns its feature `preserve_order` on, and a prompt must not change with that.
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

/// The schema of a type.
pub(super) fn of<T: JsonSchema>() -> Map {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = whole(schema.to_value());
    // The tool says it.
    schema.shift_remove("description");
    Value::from_serialize(&schema)
        .ok()
        .and_then(|schema| schema.as_object().cloned())
        .unwrap_or_default()
}

/// A root schema, simplified, that is an object's.
fn whole(schema: Json) -> JsonMap<String, Json> {
    let mut schema = match schema {
        Json::Object(schema) => schema,
        // A type that takes anything.
        _ => JsonMap::new(),
    };
    // The name of Rust's type, and a heading of what the tool says itself.
    schema.shift_remove("title");
    schema.insert("type".to_owned(), "object".into());
    schema.entry("properties").or_insert_with(|| JsonMap::new().into());
    simplify_map(&mut schema);
    schema
}

fn simplify(schema: &mut Json) {
    match schema {
        Json::Object(schema) => simplify_map(schema),
        // Not all who read schemas know that these are some.
        Json::Bool(true) => *schema = JsonMap::new().into(),
        _ => {}
    }
}

fn simplify_map(schema: &mut JsonMap<String, Json>) {
    titled(schema);
    let is_of_rust = |format: &Json| format.as_str().is_some_and(|it| FORMATS.contains(&it));
    if schema.get("format").is_some_and(is_of_rust) {
        schema.shift_remove("format");
    }
    let others = schema.get_mut("additionalProperties").filter(|it| it.is_object());
    others.into_iter().for_each(simplify);
    for key in ["items", "not", "contains"] {
        schema.get_mut(key).into_iter().for_each(simplify);
    }
    for key in ["prefixItems", "anyOf", "oneOf", "allOf"] {
        let parts = schema.get_mut(key).and_then(Json::as_array_mut);
        parts.into_iter().flatten().for_each(simplify);
    }
    for key in ["properties", "$defs", "patternProperties"] {
        let parts = schema.get_mut(key).and_then(Json::as_object_mut);
        parts.into_iter().flatten().for_each(|(_, part)| simplify(part));
    }
    optional(schema);
    sort(schema);
}

/// A heading in a doc comment comes as a title, and models read descriptions.
fn titled(schema: &mut JsonMap<String, Json>) {
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
    // Definitions last: nobody reads them first.
    let (definitions, rest): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| key == "$defs");
    schema.extend(rest.into_iter().chain(definitions));
}

/// What need not be given is left out: nobody has to write `null` for it.
fn optional(schema: &mut JsonMap<String, Json>) {
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
        // With another default, `null` says something that leaving it out does not.
        if !required.contains(name) && !property.contains_key("default") {
            without_null(property);
        }
    }
}

fn without_null(schema: &mut JsonMap<String, Json>) {
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
            // What the field says of itself goes before what its type does.
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
}
