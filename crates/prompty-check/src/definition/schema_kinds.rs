//! Converts a JSON schema into the kind of a property.

use prompty_core::schema::{Kinds, Schema, Step, is_annotation};
use prompty_core::value::{Map, Value};

/// The maximum depth of described properties.
const MOST_LEVELS: usize = 8;

/// The kind of a prompt for a type of JSON schemas.
pub(super) fn kind_of_type(name: &str) -> Option<&'static str> {
    Some(match name.trim() {
        "string" => "string",
        "integer" => "integer",
        "number" => "float",
        "boolean" => "boolean",
        "array" => "array",
        "object" => "object",
        _ => return None,
    })
}

/// Whether a JSON schema restricts values more than a property's kind does. A Rust type does not
/// enforce such a schema.
#[doc(hidden)]
pub fn restricts_beyond_kind(schema: &Value) -> bool {
    const COVERED: [&str; 2] = ["type", "enum"];
    let Some(keywords) = schema.as_object() else { return true };
    let is_covered = |keyword: &str| is_annotation(keyword) || COVERED.contains(&keyword);
    let has_parts =
        matches!(kind(Schema::from_value(schema).kinds()), Some("array" | "object") | None);
    (has_parts && keywords.len() > 1) || !keywords.keys().all(is_covered)
}

/// The keys of a property (`kind`, `enumValues`, `items`, `properties`) that a schema describes;
/// empty if the schema admits several kinds.
pub(super) fn property(schema: &Value) -> Map {
    describe(Schema::from_value(schema), 0)
}

fn describe(schema: Schema<'_>, level: usize) -> Map {
    let mut property = Map::new();
    let Some(kind) = kind(schema.kinds()).filter(|_| level < MOST_LEVELS) else { return property };
    property.insert("kind", kind);
    let values = schema.resolved().keywords().and_then(|keywords| keywords.values().ok().flatten());
    if let Some(values) = values.filter(|_| !matches!(kind, "array" | "object")) {
        property.insert("enumValues", Value::from(values.to_vec()));
    }
    if kind == "array" {
        let item = match schema.parts_at(&[Step::Index(0)]).as_slice() {
            [item] => describe(*item, level + 1),
            _ => Map::new(),
        };
        if !item.is_empty() {
            property.insert("items", Value::from(item));
        }
    }
    if kind == "object" {
        let properties: Vec<Value> = schema
            .properties()
            .into_iter()
            .map(|named| {
                let mut property = Map::from([("name", Value::from(named.name))]);
                if let [only] = named.schemas.as_slice() {
                    let described = describe(schema.part(only), level + 1);
                    for (key, value) in described.iter() {
                        property.insert(key, value.clone());
                    }
                }
                property.insert("required", named.is_required);
                Value::from(property)
            })
            .collect();
        if !properties.is_empty() {
            property.insert("properties", Value::from(properties));
        }
    }
    property
}

/// The common kind of all admitted values.
fn kind(kinds: Kinds) -> Option<&'static str> {
    let known = [
        (Kinds::STRING, "string"),
        (Kinds::INTEGER, "integer"),
        (Kinds::NUMBER, "float"),
        (Kinds::BOOLEAN, "boolean"),
        (Kinds::ARRAY, "array"),
        (Kinds::OBJECT, "object"),
    ];
    known.into_iter().find(|(own, _)| *own == kinds).map(|(_, name)| name)
}
