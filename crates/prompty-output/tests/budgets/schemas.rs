//! The schemas as which replies are read.

use prompty_core::value::Value;

const SCHEMAS: [(&str, &str); 10] = [
    ("any value", "true"),
    (
        "an object",
        r#"{"type": "object", "properties": {
            "a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}},
            "c": {"type": "object", "properties": {"a": {"type": "number"}}}
        }, "required": ["a"]}"#,
    ),
    ("a list of integers", r#"{"type": "array", "items": {"type": "integer", "minimum": 1}}"#),
    (
        "a list of objects",
        r#"{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "boolean"}}}}"#,
    ),
    ("a map", r#"{"type": "object", "additionalProperties": {"type": ["string", "null"]}}"#),
    (
        "an enum",
        r#"{"type": "array", "items": {"enum": ["first choice", "second choice", 3, null]}}"#,
    ),
    (
        "a union",
        r#"{"anyOf": [
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
            {"type": "array", "items": {"type": "string", "format": "date-time"}},
            {"type": "integer"}
        ]}"#,
    ),
    (
        "a recursive union",
        r##"{"anyOf": [
            {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
            {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
            {"type": "array", "items": {"$ref": "#"}},
            {"type": ["integer", "string"]}
        ]}"##,
    ),
    (
        "a recursive object",
        r##"{"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "b": {"type": "array", "items": {"$ref": "#"}}}}"##,
    ),
    ("a number or a string", r#"{"type": ["number", "string"], "pattern": "^[a-z]+$"}"#),
];

/// All schemas with their names.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    SCHEMAS.iter().map(|(name, json)| (*name, Value::from_json(json).unwrap())).collect()
}
