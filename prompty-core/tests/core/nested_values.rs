//! Deeply nested values and schemas fit a small stack: they are read, or they are an error.

use std::thread::Builder;

use prompty_core::schema::Schema;
use prompty_core::schema::shape::Shape;
use prompty_core::value::{MAX_DEPTH, Value};

/// The stack of a thread in a service that has many of them.
const STACK: usize = 512 << 10;

/// Runs on a small stack. A stack overflow ends the test program.
pub(crate) fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

/// JSON text with arrays, with objects, and with both by turns, at a depth.
fn nested(depth: usize) -> [String; 3] {
    let nest = |open: &str, close: &str, count: usize| {
        format!("{}1{}", open.repeat(count), close.repeat(count))
    };
    [nest("[", "]", depth), nest("{\"a\":", "}", depth), nest("[{\"a\":", "}]", depth / 2)]
}

#[test]
fn values_of_the_maximum_depth_fit_a_small_stack() {
    for text in nested(MAX_DEPTH) {
        on_small_stack(move || {
            let value = Value::from_json(&text).unwrap();
            let other = Value::from_json(&text).unwrap();
            assert!(value == other);
            assert_eq!(Value::from_serialize(&value).unwrap(), other);
            assert_eq!(value.deserialize::<Value>().unwrap(), other);
            assert!(serde_json::to_value(&value).is_ok());
            assert!(!format!("{value:?} {value:#?} {value}").is_empty());
            assert!(serde_json::to_string_pretty(&value).is_ok());
        });
    }
}

#[test]
fn deeper_json_is_an_error() {
    for text in nested(MAX_DEPTH + 2) {
        let error = on_small_stack(move || Value::from_json(&text).unwrap_err());
        assert!(
            error.to_string().starts_with("arrays and objects are nested too deeply"),
            "{error}"
        );
    }
}

/// Schemas that refer to themselves for the values inside, by each keyword that can.
const RECURSIVE: &[&str] = &[
    r##"{"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}"##,
    r##"{"anyOf": [{"type": "integer"}, {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}]}"##,
    r##"{"allOf": [{"prefixItems": [{"$ref": "#"}], "patternProperties": {"a": {"$ref": "#"}}}]}"##,
    r##"{"not": {"not": {"items": {"$ref": "#"}, "properties": {"a": {"$ref": "#"}}}}}"##,
    r##"{"if": {"items": {"$ref": "#"}, "dependentSchemas": {"a": {"properties": {"a": {"$ref": "#"}}}}}, "then": true, "else": false}"##,
    r##"{"oneOf": [{"unevaluatedItems": {"$ref": "#"}, "unevaluatedProperties": {"$ref": "#"}}]}"##,
    r##"{"contains": {"oneOf": [{"type": "integer"}, {"$ref": "#"}]}, "uniqueItems": true}"##,
    r##"{"allOf": [{"$ref": "#"}]}"##,
];

#[test]
fn validating_nested_values_fits_a_small_stack() {
    for schema in RECURSIVE {
        for text in nested(MAX_DEPTH) {
            on_small_stack(move || {
                let (schema, value) =
                    (Value::from_json(schema).unwrap(), Value::from_json(&text).unwrap());
                Schema::from_value(&schema).violations(&value);
            });
        }
    }
}

#[test]
fn values_of_the_maximum_depth_are_validated_by_a_union_that_contains_itself() {
    for text in nested(MAX_DEPTH) {
        let found = on_small_stack(move || {
            let (union, value) =
                (Value::from_json(RECURSIVE[1]).unwrap(), Value::from_json(&text).unwrap());
            Schema::from_value(&union).violations(&value)
        });
        assert_eq!(found, []);
    }
}

/// A schema that contains schemas, at most as deep as a value can be.
fn nested_schemas() -> [String; 3] {
    let nest = |open: &str, close: &str, count: usize| {
        format!("{}{{\"type\": \"string\"}}{}", open.repeat(count), close.repeat(count))
    };
    [
        nest("{\"type\": \"object\", \"properties\": {\"a\":", "}}", MAX_DEPTH / 2 - 1),
        nest("{\"type\": \"array\", \"items\":", "}", MAX_DEPTH - 1),
        nest("{\"anyOf\": [{\"type\": \"null\"}, ", "]}", MAX_DEPTH / 2 - 1),
    ]
}

#[test]
fn nested_schemas_fit_a_small_stack() {
    for text in nested_schemas() {
        on_small_stack(move || {
            let schema = Value::from_json(&text).unwrap();
            Schema::from_value(&schema).warnings();
            if let Ok(shape) = Shape::from_schema(&schema) {
                assert!(!shape.to_schema().is_null() && !shape.to_notation().is_null());
            }
        });
    }
}

#[test]
fn a_long_chain_of_references_fits_a_small_stack() {
    let definitions: Vec<String> = (0..600)
        .map(|at| format!("\"d{at}\": {{\"anyOf\": [{{\"$ref\": \"#/$defs/d{}\"}}]}}", at + 1))
        .collect();
    let text = format!("{{\"$defs\": {{{}}}, \"$ref\": \"#/$defs/d0\"}}", definitions.join(", "));
    on_small_stack(move || {
        let schema = Value::from_json(&text).unwrap();
        let read = Schema::from_value(&schema);
        read.kinds();
        read.warnings();
        read.violations(&Value::from(1));
        assert!(Shape::from_schema(&schema).is_err());
    });
}

#[test]
fn a_nested_notation_fits_a_small_stack() {
    for depth in [40, MAX_DEPTH] {
        for text in nested(depth) {
            let read = on_small_stack(move || {
                Shape::from_notation(&Value::from_json(&text).unwrap()).map(|it| it.to_schema())
            });
            assert_eq!(read.is_ok(), depth == 40, "{read:?}");
        }
    }
}
