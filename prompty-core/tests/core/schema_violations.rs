//! What of a value a schema does not admit.

use prompty_core::schema::Schema;
use prompty_core::value::{Map, Value};
use prompty_core::work::count_steps;
use proptest::prelude::*;

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
        (r#"{"multipleOf": 0.1}"#, "0.25", "# must be a multiple of 0.1, found 0.25"),
        (r#"{"pattern": "^a+$"}"#, r#""ab""#, r##"# must match the pattern `^a+$`, found "ab""##),
        (r#"{"format": "uint8"}"#, "256", "# must have the format `uint8`, found 256"),
        (r#"{"format": "date"}"#, r#""now""#, r##"# must have the format `date`, found "now""##),
        (
            r#"{"contains": {"type": "null"}}"#,
            "[1]",
            "# must have at least 1 items that follow `contains`, found 0",
        ),
        (
            r#"{"contains": {}, "minContains": 0, "maxContains": 1}"#,
            "[1, 2]",
            "# must have at most 1 items that follow `contains`, found 2",
        ),
        (
            r#"{"patternProperties": {"^x": {"type": "null"}}}"#,
            r#"{"x1": 1}"#,
            "#/x1 must be null, found 1",
        ),
        (
            r#"{"patternProperties": {"^x": {}}, "additionalProperties": false}"#,
            r#"{"y": 1}"#,
            "# must not have `y`",
        ),
        (
            r#"{"propertyNames": {"maxLength": 2}}"#,
            r#"{"abc": 1}"#,
            "# has the name `abc`, which must have at most 2 characters, found 3",
        ),
        (
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            r#"{"a": 1}"#,
            "# must have `b`, since it has `a`",
        ),
        (r#"{"dependencies": {"a": {"required": ["b"]}}}"#, r#"{"a": 1}"#, "# must have `b`"),
        (
            r#"{"if": {"minimum": 5}, "then": {"multipleOf": 5}}"#,
            "7",
            "# must be a multiple of 5, found 7",
        ),
        (r#"{"if": {"minimum": 5}, "else": {"const": 0}}"#, "1", "# must be 0, found 1"),
        (
            r#"{"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}"#,
            r#"{"a": 1, "b": 2}"#,
            "# must not have `b`",
        ),
        (
            r#"{"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}"#,
            "[1, 2]",
            "#/1 must be null, found 2",
        ),
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
        (r#"{"multipleOf": 0.01}"#, "[12.34, 1e3, 0]"),
        (r#"{"multipleOf": 0.01}"#, "12.34"),
        (r#"{"multipleOf": 3}"#, "-9"),
        (r#"{"uniqueItems": true}"#, r#"[1, "1", [1], {"a": 1}, {"a": 2}]"#),
        (r#"{"if": false, "then": false}"#, "1"),
        (r#"{"then": false}"#, "1"),
        (
            r#"{"oneOf": [{"required": ["a"], "properties": {"a": {}}}, {"required": ["b"], "properties": {"b": {}}}],
                "unevaluatedProperties": false}"#,
            r#"{"b": 1}"#,
        ),
        (
            r#"{"not": {"required": ["a"]}, "properties": {"b": {}}, "unevaluatedProperties": false}"#,
            r#"{"b": 1}"#,
        ),
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

#[test]
fn equal_items_are_found_however_they_are_written() {
    let unique = r#"{"uniqueItems": true}"#;
    for items in ["[1, 1.0]", r#"[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]"#] {
        assert_eq!(violations(unique, items), ["#/1 stands in the list already"], "{items}");
    }
}

#[test]
fn what_another_schema_looks_at_counts_only_if_the_value_follows_it() {
    let schema = r#"{"anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {}}}
        ], "unevaluatedProperties": false}"#;
    assert_eq!(violations(schema, r#"{"a": "x", "b": 1}"#), [""; 0]);
    assert_eq!(violations(schema, r#"{"a": 1, "b": 1}"#), ["# must not have `a`"]);
}

#[test]
fn long_data_is_checked_to_its_end() {
    let schema = r##"{"items": {"$ref": "#/$defs/row"}, "$defs": {"row": {
        "type": "object", "required": ["id", "tags"],
        "properties": {"id": {"type": "integer"}, "tags": {"items": {"enum": ["a", "b", "c"]}},
            "text": {"type": "string", "pattern": "^[a-z ]*$"}}}}}"##;
    let row = format!(r#"{{"id": 1, "tags": ["a", "b"], "text": "{}"}}"#, "long ".repeat(200));
    let rows = format!("[{}]", vec![row.as_str(); 2000].join(","));
    assert_eq!(violations(schema, &rows), [""; 0]);
    let wrong = rows.replacen(r#""id": 1"#, r#""id": 1.5"#, 2000).replacen("1.5", "1", 1999);
    assert_eq!(violations(schema, &wrong), ["#/1999/id must be a whole number, found 1.5"]);
}

#[test]
fn data_as_deep_as_it_may_be_is_checked_to_its_end() {
    let schema = r##"{"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
        {"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/node"}}]}}}"##;
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(80), "]".repeat(80));
    assert_eq!(violations(schema, &deep("null")), [""; 0]);
    assert!(violations(schema, &deep("1")).first().unwrap().ends_with("found 1"));
}

#[test]
fn schemas_in_each_other_as_deep_as_they_may_be_fit_on_a_small_stack() {
    let chain = |index: usize| format!("\"d{index}\": {{\"$ref\": \"#/$defs/d{}\"}}", index + 1);
    let chain: Vec<String> = (0..250).map(chain).collect();
    let last = "\"d250\": {\"type\": \"null\"}";
    let deep = format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}, {last}}}}}", chain.join(","));
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let found = thread.spawn(move || violations(&deep, "1")).unwrap().join().unwrap();
    assert_eq!(found, ["# must be null, found 1"]);
}

#[test]
fn the_work_of_unknown_names_does_not_grow_with_the_names_multiplied() {
    let names = |count: usize, of: &str| -> String {
        let all: Vec<String> = (0..count).map(|index| format!("\"{of}{index}\": {{}}")).collect();
        all.join(",")
    };
    let steps = |count: usize| {
        let schema = format!(
            "{{\"properties\": {{{}}}, \"additionalProperties\": false}}",
            names(count, "known")
        );
        let value = format!("{{{}}}", names(count, "other"));
        let (schema, value) =
            (Value::from_json(&schema).unwrap(), Value::from_json(&value).unwrap());
        count_steps(|| Schema::from_value(&schema).violations(&value)).1
    };
    let (few, many) = (steps(500), steps(4000));
    assert!(many <= few * 10, "{few} {many}");
}

#[test]
fn what_no_value_is_held_to_is_told() {
    let doubts = |schema: &str| -> Vec<String> {
        let schema = Value::from_json(schema).unwrap();
        let doubts = Schema::from_value(&schema).doubts().into_iter();
        doubts.map(|it| format!("{} {}", it.pointer, it.message)).collect()
    };
    let cases = [
        (r#"{"minimun": 1}"#, "# `minimun` is no keyword of JSON schemas"),
        (r#"{"nullable": true}"#, "# `nullable` is no keyword of JSON schemas"),
        (r#"{"format": "email"}"#, "# the format `email` is not checked"),
        (r#"{"then": {}}"#, "# `then` says nothing without `if`"),
        (r#"{"multipleOf": 0}"#, "# `multipleOf` of a schema has to be above zero"),
        (r#"{"minimum": "1"}"#, "# `minimum` of a schema has to be a number, not text"),
        (r#"{"properties": []}"#, "# `properties` of a schema has to be a map, not list"),
        (r#"{"items": 1}"#, "#/items a schema is a map, true or false, and not integer"),
        (r##"{"$ref": "#there"}"##, "# the reference `#there` leads nowhere"),
        (r##"{"$dynamicRef": "#node"}"##, "# `$dynamicRef` is not checked"),
        (
            r#"{"properties": {"a": {"pattern": "(?=x)"}}}"#,
            "#/properties/a the pattern `(?=x)` is not checked, since it has a look-ahead",
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(doubts(schema), [expected], "{schema}");
    }
    let plain =
        r#"{"type": "string", "title": "x", "x-order": 1, "format": "date", "pattern": "^a"}"#;
    assert_eq!(doubts(plain), [""; 0]);
}

/// Values of all kinds, whose names are keywords: each is a schema and a value.
fn any_value() -> impl Strategy<Value = Value> {
    let texts = ["#", "#/items", "^a+$", "(", "array", "object", "date", "items", "a"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..4).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(texts.to_vec()).prop_map(Value::from),
    ];
    let keywords = [
        "$ref",
        "type",
        "enum",
        "multipleOf",
        "minLength",
        "pattern",
        "format",
        "items",
        "prefixItems",
        "contains",
        "maxContains",
        "uniqueItems",
        "unevaluatedItems",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "required",
        "dependencies",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
    ];
    leaf.prop_recursive(6, 60, 4, move |inner| {
        let entry = (prop::sample::select(keywords.to_vec()), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            prop::collection::vec(entry, 0..5).prop_map(|all| {
                let all = all.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::from(all.collect::<Map>())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_is_held_against_any_value_in_work_that_the_value_bounds(
        schema in any_value(),
        value in any_value(),
    ) {
        let length = u64::try_from(value.to_json().len()).unwrap();
        let (found, steps) = count_steps(|| Schema::from_value(&schema).violations(&value));
        prop_assert!(found.len() <= 33);
        prop_assert!(steps <= 30_000 + 300 * length, "{steps} of {length}");
        prop_assert!(Schema::from_value(&schema).doubts().len() <= 16);
    }
}
