//! Converts a JSON schema into the keys of a property: `{"type": "array", "items": {"type":
//! "string"}}` becomes `{kind: array, items: {kind: string}}`.

use prompty_core::schema::{Kinds, Schema, Step, is_annotation};
use prompty_core::value::{Map, Value};

/// The maximum depth of described properties.
const MOST_LEVELS: usize = 8;

/// Whether this is the name of a type in JSON schemas.
pub(super) fn is_type(name: &str) -> bool {
    let name = name.trim();
    matches!(name, "string" | "integer" | "number" | "boolean" | "array" | "object")
}

/// Whether a JSON schema restricts values more than a property's kind does. A Rust type does not
/// enforce such a schema.
#[doc(hidden)]
pub fn restricts_beyond_kind(schema: &Value) -> bool {
    const COVERED: [&str; 2] = ["type", "enum"];
    let Some(keywords) = schema.as_object() else { return true };
    let is_covered = |keyword: &str| is_annotation(keyword) || COVERED.contains(&keyword);
    // Keywords about the parts of a value, or about several kinds, may restrict it in any way.
    let has_parts =
        matches!(common_kind(Schema::from_value(schema).kinds()), Some("array" | "object") | None);
    (has_parts && keywords.len() > 1) || !keywords.keys().all(is_covered)
}

/// The keys of a property (`kind`, `enumValues`, `items`, `properties`) that a schema describes;
/// empty if the schema admits several kinds.
pub(super) fn property(schema: &Value) -> Map {
    describe(Schema::from_value(schema), 0)
}

fn describe(schema: Schema<'_>, level: usize) -> Map {
    let mut property = Map::new();
    let kind = common_kind(schema.kinds()).filter(|_| level < MOST_LEVELS);
    let Some(kind) = kind else { return property };
    property.insert("kind", kind);
    match kind {
        "array" => {
            let item = match schema.parts_at(&[Step::Index(0)]).as_slice() {
                [item] => describe(*item, level + 1),
                _ => Map::new(),
            };
            if !item.is_empty() {
                property.insert("items", Value::from(item));
            }
        }
        "object" => {
            let fields = described_fields(schema, level + 1);
            if !fields.is_empty() {
                property.insert("properties", Value::from(fields));
            }
        }
        _ => {
            let keywords = schema.resolved().keywords();
            if let Some(values) = keywords.and_then(|it| it.values().ok().flatten()) {
                property.insert("enumValues", Value::from(values.to_vec()));
            }
        }
    }
    property
}

/// The declared fields of an object, each with its name and whether it is required.
fn described_fields(schema: Schema<'_>, level: usize) -> Vec<Value> {
    let described = schema.properties().into_iter().map(|named| {
        let mut field = Map::from([("name", Value::from(named.name))]);
        if let [only] = named.schemas.as_slice() {
            for (key, value) in describe(schema.part(only), level).iter() {
                field.insert(key, value.clone());
            }
        }
        field.insert("required", named.is_required);
        Value::from(field)
    });
    described.collect()
}

/// The kind that all admitted values have; `None` if there are several.
fn common_kind(kinds: Kinds) -> Option<&'static str> {
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
