//! JSON schemas in the form that llguidance reads.
//!
//! It reads most schemas as our own rules do, if the schema states what our rules assume: which
//! type is meant, and that an object has only the named properties. Keywords that neither supports
//! are left out, as in our rules, and are reported as widened. Schemas that the two would read
//! differently are left to our rules: items by position, schemas that must hold together, values
//! that can be written in more than one way, and decimal bounds (below 0.75, it rejects 0.7).
//!
//! These differences remain: for llguidance, a number may have any number of digits, a date may be
//! the 29th of any February, and no string contains `\/`, which no value needs.

use crate::grammar::schema::is_pattern;
use prompty_core::schema::is_annotation;
use prompty_core::value::{Map, Value};

/// White space between two tokens, as in our own rules. A model that may write any white space can
/// continue with it forever.
const WHITE_SPACE: &str = r" |\n{1,2}[ \t]{0,20}";

/// The formats that both llguidance and our rules support.
const ENGINE_FORMATS: [&str; 4] = ["date", "time", "date-time", "uuid"];

/// The maximum nesting depth of schemas. `convert` calls itself for each level, and the stack is
/// limited.
const MAX_DEPTH: usize = 64;

/// The largest bound. llguidance stores bounds as `f64`, which represents all integers only up to
/// here.
const LARGEST_BOUND: i128 = 1 << 53;

/// The maximum count that llguidance reads.
const LARGEST_COUNT: i128 = u32::MAX as i128;

/// Keywords that our rules ignore.
const IGNORED_KEYWORDS: [&str; 3] = ["multipleOf", "not", "uniqueItems"];

/// Converts the schema to the text after `%json`. `None` if our own rules are needed.
pub(super) fn for_engine(schema: &Value) -> Option<String> {
    let mut converted = match convert(schema, 0)? {
        Value::Object(map) => map,
        // A schema that allows any value.
        _ => Map::new(),
    };
    let options = Map::from([
        ("whitespace_pattern", Value::from(WHITE_SPACE)),
        ("json_allow_general_unicode_escapes", true.into()),
    ]);
    converted.insert("x-guidance", options);
    Some(Value::from(converted).to_json())
}

/// Converts a schema to one that llguidance reads as our rules do. `None` if there is none.
///
/// For example, `{"properties": {"a": {"minimum": 1, "title": "A"}}}` loses the title. The inner
/// schema gets `"type": "number"`, and the outer one `"type": "object"` and
/// `"additionalProperties": false`.
fn convert(schema: &Value, depth: usize) -> Option<Value> {
    let Value::Object(keywords) = schema else {
        return (schema.as_bool() == Some(true)).then(|| schema.clone());
    };
    if depth > MAX_DEPTH {
        return None;
    }
    // Many schema generators write a reference this way, next to a description.
    if let Some([one]) = keywords.get("allOf").and_then(Value::as_array) {
        let has_no_effect = |keyword| is_ignored(keyword) || keyword == "allOf";
        return convert(one, depth + 1).filter(|_| keywords.keys().all(has_no_effect));
    }
    let mut found = Map::new();
    for (keyword, value) in keywords.iter() {
        let value = match keyword {
            keyword if is_ignored(keyword) => continue,
            "type" | "required" => value.clone(),
            "$ref" if is_plain_reference(value.as_str()?) => value.clone(),
            "properties" | "$defs" | "definitions" => {
                let schemas = value.as_object()?.iter();
                let schemas =
                    schemas.map(|(name, schema)| Some((name, convert(schema, depth + 1)?)));
                schemas.collect::<Option<Map>>()?.into()
            }
            "additionalProperties" if value.as_bool() == Some(false) => value.clone(),
            "additionalProperties" | "items" => convert(value, depth + 1)?,
            // In our rules, too, `oneOf` allows what any of its schemas allows.
            "anyOf" | "oneOf" => {
                let ways = value.as_array()?.iter().map(|way| convert(way, depth + 1));
                found.insert("anyOf", ways.collect::<Option<Vec<_>>>()?);
                continue;
            }
            "const" if is_scalar(value) => value.clone(),
            "enum" if value.as_array()?.iter().all(is_scalar) => value.clone(),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                value.as_integer().filter(|bound| bound.abs() <= LARGEST_BOUND)?;
                value.clone()
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" => {
                value.as_integer().filter(|count| *count <= LARGEST_COUNT)?;
                value.clone()
            }
            "pattern" if is_pattern(value.as_str()?) => value.clone(),
            "format" if ENGINE_FORMATS.contains(&value.as_str()?) => value.clone(),
            "pattern" | "format" => continue,
            _ => return None,
        };
        found.insert(keyword, value);
    }
    let has = |keyword| found.contains_key(keyword);
    // Other keywords next to these would be read property by property.
    let is_combined = has("$ref") || has("anyOf");
    let is_other = |keyword: &str| !matches!(keyword, "$ref" | "anyOf" | "$defs" | "definitions");
    if is_combined && (found.keys().any(is_other) || has("$ref") && has("anyOf")) {
        return None;
    }
    let properties = found.get("properties").and_then(Value::as_object);
    let is_named = |name: &Value| {
        name.as_str().is_some_and(|name| properties.is_some_and(|it| it.contains_key(name)))
    };
    let required = found.get("required").and_then(Value::as_array).unwrap_or_default();
    let is_closed = found.get("additionalProperties").is_none_or(|it| it.as_bool() == Some(false));
    // Our rules allow properties that only `required` names.
    if is_closed && !required.iter().all(is_named) {
        return None;
    }
    let is_closed = has("properties") && is_closed;
    let assumed =
        if has("type") || has("enum") || has("const") { None } else { assumed_type(&found)? };
    if is_closed {
        found.insert("additionalProperties", false);
    }
    if let Some(name) = assumed {
        found.insert("type", name);
    }
    Some(found.into())
}

/// The type that the keywords of a schema apply to; `Some(None)` if they apply to none, and `None`
/// if they apply to several. Our rules assume this type. For llguidance, values of other types also
/// match the schema.
fn assumed_type(keywords: &Map) -> Option<Option<&'static str>> {
    let mut assumed = keywords.keys().filter_map(|keyword| match keyword {
        "properties" | "required" | "additionalProperties" => Some("object"),
        "items" | "minItems" | "maxItems" => Some("array"),
        "minLength" | "maxLength" | "pattern" | "format" => Some("string"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Some("number"),
        _ => None,
    });
    let first = assumed.next();
    assumed.all(|other| Some(other) == first).then_some(first)
}

/// Whether all values of a schema are numbers, strings or words. They have no brackets, so a
/// regular expression can describe them.
pub(super) fn has_only_scalars(schema: &Value) -> bool {
    let is_scalar = |name: &Value| !matches!(name.as_str(), Some("object" | "array"));
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().all(is_scalar),
        Some(name) => is_scalar(name),
        None => schema.get("enum").or_else(|| schema.get("const")).is_some(),
    }
}

/// Whether our rules ignore a keyword. Definitions are kept for references.
fn is_ignored(keyword: &str) -> bool {
    let has_definitions = matches!(keyword, "$defs" | "definitions");
    (is_annotation(keyword) && !has_definitions) || IGNORED_KEYWORDS.contains(&keyword)
}

/// Whether a reference is to the complete schema, or to a definition by its name.
fn is_plain_reference(reference: &str) -> bool {
    let named = ["#/$defs/", "#/definitions/"].iter().find_map(|it| reference.strip_prefix(it));
    reference == "#" || named.is_some_and(|name| !name.contains(['/', '~', '%']))
}

/// Whether a value is written in one way only.
fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::Integer(_) | Value::String(_))
}
