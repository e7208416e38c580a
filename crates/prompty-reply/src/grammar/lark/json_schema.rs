//! JSON schemas as llguidance reads them.
//!
//! It reads most schemas as our own rules do, once the schema says what our rules take for granted:
//! which type is meant, and that an object has no properties but those that are named. What neither
//! can say is left out, as it is in our rules, and was reported as widened. What the two would read
//! otherwise is left to our rules: items by their place, schemas that hold together, values that can
//! be written in more than one way, bounds with decimals (below 0.75, it refuses 0.7).
//!
//! These differences stay: to llguidance a number may have any number of digits, a date any 29th of
//! February, and no text holds `\/`, which no value needs.

use crate::grammar::schema::is_pattern;
use prompty_core::schema::is_annotation;
use prompty_core::value::{Map, Value};

/// White space between two tokens, as our own rules have it: models that may write any white space
/// can go on with it forever.
const WHITE_SPACE: &str = r" |\n{1,2}[ \t]{0,20}";

/// The formats that both say.
const ENGINE_FORMATS: [&str; 4] = ["date", "time", "date-time", "uuid"];

/// How deep schemas may stand in schemas.
const DEEPEST: usize = 64;

/// The largest integer up to which `f64`, in which llguidance keeps bounds, has all integers.
const LARGEST_BOUND: i128 = 1 << 53;

/// The largest count that llguidance reads.
const LARGEST_COUNT: i128 = u32::MAX as i128;

/// Keywords that our rules leave out.
const LEFT_OUT: [&str; 3] = ["multipleOf", "not", "uniqueItems"];

/// The schema, as the text that stands behind `%json`; nothing where our own rules have to say it.
pub(super) fn for_engine(schema: &Value) -> Option<String> {
    let mut read = match read(schema, 0)? {
        Value::Object(map) => map,
        // What admits any value.
        _ => Map::new(),
    };
    let options = Map::from([
        ("whitespace_pattern", Value::from(WHITE_SPACE)),
        ("json_allow_general_unicode_escapes", true.into()),
    ]);
    read.insert("x-guidance", options);
    Some(Value::from(read).to_json())
}

/// A schema that llguidance reads as our rules do.
fn read(schema: &Value, depth: usize) -> Option<Value> {
    let Value::Object(keywords) = schema else {
        return (schema.as_bool() == Some(true)).then(|| schema.clone());
    };
    if depth > DEEPEST {
        return None;
    }
    // Many generators of schemas write a reference so, beside a description.
    if let Some([one]) = keywords.get("allOf").and_then(Value::as_array) {
        let is_alone = |keyword| says_nothing(keyword) || keyword == "allOf";
        return read(one, depth + 1).filter(|_| keywords.keys().all(is_alone));
    }
    let mut found = Map::new();
    for (keyword, value) in keywords.iter() {
        let value = match keyword {
            keyword if says_nothing(keyword) => continue,
            "type" | "required" => value.clone(),
            "$ref" if is_plain_reference(value.as_str()?) => value.clone(),
            "properties" | "$defs" | "definitions" => {
                let schemas = value.as_object()?.iter();
                let schemas = schemas.map(|(name, schema)| Some((name, read(schema, depth + 1)?)));
                schemas.collect::<Option<Map>>()?.into()
            }
            "additionalProperties" if value.as_bool() == Some(false) => value.clone(),
            "additionalProperties" | "items" => read(value, depth + 1)?,
            // To our rules, too, `oneOf` admits what any of its schemas admits.
            "anyOf" | "oneOf" => {
                let ways = value.as_array()?.iter().map(|way| read(way, depth + 1));
                found.insert("anyOf", ways.collect::<Option<Vec<_>>>()?);
                continue;
            }
            "const" if is_word(value) => value.clone(),
            "enum" if value.as_array()?.iter().all(is_word) => value.clone(),
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
    // What these combine with others would be read property by property.
    let is_combined = has("$ref") || has("anyOf");
    let is_shape = |keyword: &str| !matches!(keyword, "$ref" | "anyOf" | "$defs" | "definitions");
    if is_combined && (found.keys().any(is_shape) || has("$ref") && has("anyOf")) {
        return None;
    }
    let properties = found.get("properties").and_then(Value::as_object);
    let is_named = |name: &Value| {
        name.as_str().is_some_and(|name| properties.is_some_and(|it| it.contains_key(name)))
    };
    let required = found.get("required").and_then(Value::as_array).unwrap_or_default();
    let is_closed = found.get("additionalProperties").is_none_or(|it| it.as_bool() == Some(false));
    if is_closed && !required.iter().all(is_named) {
        return None;
    }
    let is_closed = has("properties") && is_closed;
    let meant = if has("type") || has("enum") || has("const") { None } else { meant_type(&found)? };
    if is_closed {
        found.insert("additionalProperties", false);
    }
    if let Some(name) = meant {
        found.insert("type", name);
    }
    Some(found.into())
}

/// The type that the keywords of a schema are about. It is the one that our rules take them to mean;
/// to llguidance, a value of any other type follows them, too.
fn meant_type(keywords: &Map) -> Option<Option<&'static str>> {
    let mut meant = keywords.keys().filter_map(|keyword| match keyword {
        "properties" | "required" | "additionalProperties" => Some("object"),
        "items" | "minItems" | "maxItems" => Some("array"),
        "minLength" | "maxLength" | "pattern" | "format" => Some("string"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Some("number"),
        _ => None,
    });
    let first = meant.next();
    meant.all(|other| Some(other) == first).then_some(first)
}

/// Whether all values of a schema are numbers, texts or words: they have no brackets.
pub(super) fn is_of_words(schema: &Value) -> bool {
    let is_word = |name: &Value| !matches!(name.as_str(), Some("object" | "array"));
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().all(is_word),
        Some(name) => is_word(name),
        None => schema.get("enum").or_else(|| schema.get("const")).is_some(),
    }
}

/// Whether a keyword says nothing to our rules. What holds definitions is kept for references.
fn says_nothing(keyword: &str) -> bool {
    let has_definitions = matches!(keyword, "$defs" | "definitions");
    (is_annotation(keyword) && !has_definitions) || LEFT_OUT.contains(&keyword)
}

/// Whether a reference is to the whole schema, or to a definition by its name.
fn is_plain_reference(reference: &str) -> bool {
    let named = ["#/$defs/", "#/definitions/"].iter().find_map(|it| reference.strip_prefix(it));
    reference == "#" || named.is_some_and(|name| !name.contains(['/', '~', '%']))
}

/// Whether a value is written in one way only.
fn is_word(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::Integer(_) | Value::String(_))
}
