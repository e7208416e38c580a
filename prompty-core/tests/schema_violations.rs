//! What of a value a schema does not admit.
#![cfg(feature = "schema")]
#![allow(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

use prompty_core::schema::Schema;
use prompty_core::value::Value;

fn violations(schema: &str, value: &str) -> Vec<String> {
    let (schema, value) = (Value::from_json(schema).unwrap(), Value::from_json(value).unwrap());
    let found = Schema::from_value(&schema).violations(&value);
    found.into_iter().map(|it| format!("{} {}", it.pointer, it.message)).collect()
}

#[test]
fn each_keyword_says_what_it_does_not_admit() {
    let cases = [
        (r#"{"type": "string"}"#, "7", "# must be a text, found 7"),
        (r#"{"type": ["number", "null"]}"#, "true", "# must be a number or null, found true"),
        (r#"{"const": 1}"#, "2", "# must be 1, found 2"),
        (r#"{"enum": ["a", "b"]}"#, r#""c""#, r##"# must be one of "a", "b", found "c""##),
        (r#"{"minimum": 1.5}"#, "1", "# must be at least 1.5, found 1"),
        (r#"{"exclusiveMaximum": 3}"#, "3", "# must be less than 3, found 3"),
        (r#"{"maxLength": 2}"#, r#""äöü""#, "# must have at most 2 characters, found 3"),
        (r#"{"minItems": 1}"#, "[]", "# must have at least 1 items, found 0"),
        (r#"{"uniqueItems": true}"#, "[1, 2, 1]", "#/2 stands in the list already"),
        (r#"{"items": {"type": "integer"}}"#, "[1, 2.5]", "#/1 must be a whole number, found 2.5"),
        (r#"{"prefixItems": [{}], "items": false}"#, "[1, 2]", "#/1 is not admitted"),
        (r#"{"required": ["a"]}"#, "{}", "# must have `a`"),
        (r#"{"properties": {"a": {"type": "null"}}}"#, r#"{"a": 1}"#, "#/a must be null, found 1"),
        (
            r#"{"properties": {"city": {}}, "additionalProperties": false}"#,
            r#"{"ctiy": 1}"#,
            "# must not have `ctiy`; there is `city`",
        ),
        (r#"{"not": {"type": "null"}}"#, "null", "# must be something else than null"),
        (r#"{"oneOf": [{}, {"minimum": 0}]}"#, "1", "# must follow one of 2 schemas, follows 2"),
        (r#"{"allOf": [{"minimum": 0}, {"maximum": 5}]}"#, "7", "# must be at most 5, found 7"),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##,
            "[]",
            "# must be a text, found a list of 0 items",
        ),
        ("false", "1", "# is not admitted"),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(violations(schema, value), [expected], "{schema}");
    }
}

#[test]
fn what_is_admitted_is_not_told() {
    let cases = [
        (r#"{"type": "integer"}"#, "1.0"),
        (r#"{"const": 1}"#, "1.0"),
        (r#"{"enum": [{"a": [1]}]}"#, r#"{"a": [1]}"#),
        (r#"{"anyOf": [{"type": "null"}, {"type": "string"}]}"#, r#""x""#),
        (r#"{"minLength": 3}"#, "7"),
        ("true", "null"),
    ];
    for (schema, value) in cases {
        assert_eq!(violations(schema, value), [""; 0], "{schema}");
    }
}

#[test]
fn of_alternatives_the_one_that_was_probably_meant_is_told() {
    let schema = r#"{"anyOf": [{"type": "null"},
        {"type": "object", "properties": {"a": {"type": "integer"}}}]}"#;
    assert_eq!(violations(schema, r#"{"a": "x"}"#), [r##"#/a must be a whole number, found "x""##]);
}

#[test]
fn a_schema_that_never_ends_is_told() {
    let told = violations(r##"{"$ref": "#"}"##, "1");
    assert_eq!(told, ["# could not be checked: the schema says too much of it"]);
}
