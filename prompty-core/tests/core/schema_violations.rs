//! Violations of a schema by a value, and warnings about a schema.

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
fn whole_numbers_are_validated_by_all_digits() {
    let accepted = "9007199254740993.0";
    let refused = "9007199254740992";
    for schema in [
        r#"{"const": 9007199254740993}"#,
        r#"{"enum": [1, 9007199254740993.0]}"#,
        r#"{"minimum": 9007199254740993}"#,
        r#"{"minimum": 9007199254740993.0}"#,
        r#"{"multipleOf": 9007199254740993}"#,
    ] {
        assert_eq!(violations(schema, accepted).len(), 0, "{schema}");
        assert_eq!(violations(schema, refused).len(), 1, "{schema}");
    }
    let unique = r#"{"uniqueItems": true}"#;
    assert_eq!(violations(unique, "[9007199254740992, 9007199254740993.0]").len(), 0);
    assert_eq!(violations(unique, "[9007199254740993, 9007199254740993.0]").len(), 1);
}

#[test]
fn no_bound_allows_a_number_that_is_not_finite() {
    for schema in [
        r#"{"maximum": 5}"#,
        r#"{"exclusiveMinimum": 0}"#,
        r#"{"multipleOf": 2}"#,
        r#"{"format": "int32"}"#,
    ] {
        let schema = Value::from_json(schema).unwrap();
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = Schema::from_value(&schema).violations(&Value::Float(number));
            assert_eq!(found.len(), 1, "{number} by {}", schema.to_json());
        }
    }
}

#[test]
fn each_keyword_reports_its_violation() {
    let cases = [
        (r#"{"type": "string"}"#, "7", "# must be a string, found 7"),
        (r#"{"type": ["number", "null"]}"#, "true", "# must be a number or null, found true"),
        (r#"{"const": 1}"#, "2", "# must be 1, found 2"),
        (r#"{"enum": ["a", "b"]}"#, r#""c""#, r##"# must be one of "a", "b", found "c""##),
        (r#"{"minimum": 1.5}"#, "1", "# must be at least 1.5, found 1"),
        (r#"{"exclusiveMaximum": 3}"#, "3", "# must be less than 3, found 3"),
        (r#"{"maxLength": 2}"#, r#""äöü""#, "# must have at most 2 characters, found 3"),
        (r#"{"minItems": 1}"#, "[]", "# must have at least 1 items, found 0"),
        (r#"{"uniqueItems": true}"#, "[1, 2, 1]", "#/2 must not duplicate an earlier item"),
        (r#"{"items": {"type": "integer"}}"#, "[1, 2.5]", "#/1 must be an integer, found 2.5"),
        (
            r#"{"prefixItems": [{}], "items": false}"#,
            "[1, 2]",
            "#/1 must not exist, because its schema is `false`",
        ),
        (r#"{"required": ["a"]}"#, "{}", "# must have the key `a`"),
        (r#"{"properties": {"a": {"type": "null"}}}"#, r#"{"a": 1}"#, "#/a must be null, found 1"),
        (
            r#"{"properties": {"city": {}}, "additionalProperties": false}"#,
            r#"{"ctiy": 1}"#,
            "# must not have the key `ctiy`; a key with a similar name exists: `city`",
        ),
        (r#"{"not": {"type": "null"}}"#, "null", "# must not be null"),
        (
            r#"{"oneOf": [{}, {"minimum": 0}]}"#,
            "1",
            "# must match exactly one of 2 schemas, matches 2",
        ),
        (r#"{"allOf": [{"minimum": 0}, {"maximum": 5}]}"#, "7", "# must be at most 5, found 7"),
        (r#"{"multipleOf": 0.1}"#, "0.25", "# must be a multiple of 0.1, found 0.25"),
        (r#"{"pattern": "^a+$"}"#, r#""ab""#, r##"# must match the pattern `^a+$`, found "ab""##),
        (r#"{"format": "uint8"}"#, "256", "# must have the format `uint8`, found 256"),
        (r#"{"format": "date"}"#, r#""now""#, r##"# must have the format `date`, found "now""##),
        (
            r#"{"contains": {"type": "null"}}"#,
            "[1]",
            "# must have at least 1 items that match `contains`, found 0",
        ),
        (
            r#"{"contains": {}, "minContains": 0, "maxContains": 1}"#,
            "[1, 2]",
            "# must have at most 1 items that match `contains`, found 2",
        ),
        (
            r#"{"patternProperties": {"^x": {"type": "null"}}}"#,
            r#"{"x1": 1}"#,
            "#/x1 must be null, found 1",
        ),
        (
            r#"{"patternProperties": {"^x": {}}, "additionalProperties": false}"#,
            r#"{"y": 1}"#,
            "# must not have the key `y`",
        ),
        (
            r#"{"propertyNames": {"maxLength": 2}}"#,
            r#"{"abc": 1}"#,
            "# has the name `abc`, which must have at most 2 characters, found 3",
        ),
        (
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            r#"{"a": 1}"#,
            "# must have the key `b`, because it has the key `a`",
        ),
        (
            r#"{"dependencies": {"a": {"required": ["b"]}}}"#,
            r#"{"a": 1}"#,
            "# must have the key `b`",
        ),
        (
            r#"{"if": {"minimum": 5}, "then": {"multipleOf": 5}}"#,
            "7",
            "# must be a multiple of 5, found 7",
        ),
        (r#"{"if": {"minimum": 5}, "else": {"const": 0}}"#, "1", "# must be 0, found 1"),
        (
            r#"{"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}"#,
            r#"{"a": 1, "b": 2}"#,
            "# must not have the key `b`",
        ),
        (
            r#"{"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}"#,
            "[1, 2]",
            "#/1 must be null, found 2",
        ),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##,
            "[]",
            "# must be a string, found an array of 0 items",
        ),
        ("false", "1", "# must not exist, because its schema is `false`"),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(violations(schema, value), [expected], "{schema}");
    }
}

#[test]
fn an_allowed_value_has_no_violations() {
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
fn the_violations_of_the_nearest_alternative_are_reported() {
    let schema = r#"{"anyOf": [{"type": "null"},
        {"type": "object", "properties": {"a": {"type": "integer"}}}]}"#;
    assert_eq!(violations(schema, r#"{"a": "x"}"#), [r##"#/a must be an integer, found "x""##]);
}

#[test]
fn an_endless_schema_is_reported() {
    let found = violations(r##"{"$ref": "#"}"##, "1");
    assert_eq!(found, ["# could not be checked because the schema is too complex"]);
}

#[test]
fn equal_items_are_found_in_any_notation() {
    let unique = r#"{"uniqueItems": true}"#;
    for items in ["[1, 1.0]", r#"[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]"#] {
        assert_eq!(
            violations(unique, items),
            ["#/1 must not duplicate an earlier item"],
            "{items}"
        );
    }
}

#[test]
fn what_another_schema_evaluates_counts_only_if_the_value_matches_it() {
    let schema = r#"{"anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {}}}
        ], "unevaluatedProperties": false}"#;
    assert_eq!(violations(schema, r#"{"a": "x", "b": 1}"#), [""; 0]);
    assert_eq!(violations(schema, r#"{"a": 1, "b": 1}"#), ["# must not have the key `a`"]);
}

#[test]
fn long_data_is_checked_completely() {
    let schema = r##"{"items": {"$ref": "#/$defs/row"}, "$defs": {"row": {
        "type": "object", "required": ["id", "tags"],
        "properties": {"id": {"type": "integer"}, "tags": {"items": {"enum": ["a", "b", "c"]}},
            "text": {"type": "string", "pattern": "^[a-z ]*$"}}}}}"##;
    let row = format!(r#"{{"id": 1, "tags": ["a", "b"], "text": "{}"}}"#, "long ".repeat(200));
    let rows = format!("[{}]", vec![row.as_str(); 2000].join(","));
    assert_eq!(violations(schema, &rows), [""; 0]);
    let wrong = rows.replacen(r#""id": 1"#, r#""id": 1.5"#, 2000).replacen("1.5", "1", 1999);
    assert_eq!(violations(schema, &wrong), ["#/1999/id must be an integer, found 1.5"]);
}

#[test]
fn deep_data_is_checked_completely() {
    let schema = r##"{"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
        {"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/node"}}]}}}"##;
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(80), "]".repeat(80));
    assert_eq!(violations(schema, &deep("null")), [""; 0]);
    assert!(violations(schema, &deep("1")).first().unwrap().ends_with("found 1"));
}

#[test]
fn deeply_nested_schemas_fit_on_a_small_stack() {
    let chain = |index: usize| format!("\"d{index}\": {{\"$ref\": \"#/$defs/d{}\"}}", index + 1);
    let chain: Vec<String> = (0..250).map(chain).collect();
    let last = "\"d250\": {\"type\": \"null\"}";
    let deep = format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}, {last}}}}}", chain.join(","));
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let found = thread.spawn(move || violations(&deep, "1")).unwrap().join().unwrap();
    assert_eq!(found, ["# must be null, found 1"]);
}

#[test]
fn the_work_for_unknown_names_is_linear() {
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
fn the_unchecked_parts_of_a_schema_are_reported() {
    let warnings = |schema: &str| -> Vec<String> {
        let schema = Value::from_json(schema).unwrap();
        let warnings = Schema::from_value(&schema).warnings().into_iter();
        warnings.map(|it| format!("{} {}", it.pointer, it.message)).collect()
    };
    let cases = [
        (r#"{"minimun": 1}"#, "# unknown keyword `minimun`"),
        (r#"{"nullable": true}"#, "# `nullable` is not a keyword of JSON Schema"),
        (r#"{"format": "email"}"#, "# the format `email` is not checked"),
        (r#"{"then": {}}"#, "# `then` has no effect without `if`"),
        (r#"{"multipleOf": 0}"#, "# `multipleOf` of a schema must be above zero"),
        (r#"{"minimum": "1"}"#, "# expected a number as `minimum` of a schema, found string"),
        (r#"{"properties": []}"#, "# expected an object as `properties` of a schema, found array"),
        (r#"{"items": 1}"#, "#/items expected a schema (an object or a boolean), found integer"),
        (r##"{"$ref": "#there"}"##, "# unknown reference `#there`"),
        (r##"{"$dynamicRef": "#node"}"##, "# `$dynamicRef` is not checked"),
        (
            r#"{"properties": {"a": {"pattern": "(?=x)"}}}"#,
            "#/properties/a the pattern `(?=x)` is not checked because it has a look-ahead",
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(warnings(schema), [expected], "{schema}");
    }
    let plain =
        r#"{"type": "string", "title": "x", "x-order": 1, "format": "date", "pattern": "^a"}"#;
    assert_eq!(warnings(plain), [""; 0]);
}

/// Values of all kinds, with keywords as names. They are used as schemas and as values.
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

#[test]
fn each_value_is_validated_once_by_a_union_that_contains_itself() {
    for schema in [
        r##"{"anyOf": [
            {"properties": {"a": {"$ref": "#"}}, "required": ["b"]},
            {"properties": {"a": {"$ref": "#"}}, "required": ["c"]},
            {"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}
        ]}"##,
        r##"{"oneOf": [
            {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["b"]},
            {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
            {"type": "integer", "maximum": 5}
        ]}"##,
    ] {
        let schema = Value::from_json(schema).unwrap();
        let validate = |depth: usize, end: &str| {
            let text = format!("{}{end}{}", "{\"a\":".repeat(depth), "}".repeat(depth));
            let value = Value::from_json(&text).unwrap();
            count_steps(|| Schema::from_value(&schema).violations(&value))
        };
        let ((_, short), (found, long)) = (validate(40, "1"), validate(120, "1"));
        assert_eq!(found, []);
        assert!(long < 4 * short, "{short} steps, then {long}");
        let (found, long) = validate(120, "{\"x\": 1, \"y\": 2}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].pointer.matches('/').count(), 120);
        assert!(found[0].message.starts_with("must have the key"), "{found:?}");
        assert!(long < 8 * short, "{short} steps, then {long}");
    }
}

proptest! {
    #[test]
    fn the_work_is_proportional_to_the_value_for_any_schema(
        schema in any_value(),
        value in any_value(),
    ) {
        let length = u64::try_from(value.to_json().len()).unwrap();
        let (found, steps) = count_steps(|| Schema::from_value(&schema).violations(&value));
        prop_assert!(found.len() <= 33);
        prop_assert!(steps <= 30_000 + 300 * length, "{steps} of {length}");
        prop_assert!(Schema::from_value(&schema).warnings().len() <= 16);
    }
}
