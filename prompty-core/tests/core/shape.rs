//! The text that shows a shape to a model, the formats of answers, and schemas of shapes.

use prompty_core::schema::shape::{OutputFormat, Requirement, SentSchema, Shape, StrictDialect};
use prompty_core::value::Value;

fn field(shape: Shape) -> String {
    let text = Shape::object([("a", shape)]).requirement();
    text.strip_prefix("{\n  \"a\": ").unwrap().strip_suffix("\n}").unwrap().to_owned()
}

#[test]
fn a_description_stays_in_its_comment() {
    let text = field(Shape::text().with_description("first\nsecond\r\n\u{2028} third"));
    assert_eq!(text, "<str> // first second third");
}

#[test]
fn a_key_is_written_as_json() {
    let shape = Shape::object([("say \"hi\"\n", Shape::text())]);
    assert_eq!(shape.requirement(), "{\n  \"say \\\"hi\\\"\\n\": <str>\n}");
}

#[test]
fn types_without_lines_are_written_in_one() {
    let list = || Shape::list_of(Shape::text());
    assert_eq!(field(Shape::one_of([list(), Shape::null()])), "<list[str] | NoneType>");
    assert_eq!(field(list().inline()), "<list[str]>");
    assert_eq!(field(Shape::map_of(Shape::integer())), "<dict[str, int]>");
    let pair = Shape::tuple([Shape::text(), Shape::number()]);
    assert_eq!(field(pair.inline()), "<tuple[str, float]>");
}

#[test]
fn alternatives_with_lines_are_written_after_each_other() {
    let circle = Shape::object([("radius", Shape::number())]).with_description("round");
    let text = field(Shape::one_of([circle, Shape::null()]).with_description("a shape"));
    assert_eq!(text, "{\n    \"radius\": <float>\n  } // round\n  | <NoneType> // a shape");
}

#[test]
fn other_keys_are_shown_if_their_shape_is_specific() {
    let shape = Shape::object([("id", Shape::integer())]);
    let with = shape.clone().with_others(Shape::text().with_description("a note"));
    assert_eq!(with.requirement(), "{\n  \"id\": <int>,\n  \"<str>\": <str>, // a note\n  ...\n}");
    assert_eq!(shape.clone().with_others(Shape::any()).requirement(), shape.requirement());
}

#[test]
fn values_that_could_be_mistaken_have_quotes() {
    let shape = Shape::literals(["red", "a, b", "", "1", "true", "dark blue"]);
    assert_eq!(field(shape), r#"<Literal[red, "a, b", "", "1", "true", dark blue]>"#);
}

#[test]
fn different_shapes_with_one_name_get_different_names() {
    let node = |leaf| {
        let children = Shape::list_of(Shape::reference("Node"));
        Shape::recursive("Node", Shape::object([("leaf", leaf), ("children", children)]))
    };
    let shape = Shape::object([
        ("first", node(Shape::text())),
        ("second", node(Shape::integer())),
        ("third", node(Shape::text())),
    ]);
    let text = shape.requirement();
    assert!(text.contains("\"first\": <Node>,\n  \"second\": <Node2>,\n  \"third\": <Node>\n"));
    assert_eq!(text.matches("<Node>:").count(), 1);
    assert_eq!(text.matches("<Node2>:").count(), 1);
}

#[test]
fn a_value_without_structure_is_requested_with_a_reply() {
    let requirement = Requirement::of(Shape::integer());
    assert_eq!(*requirement.format(), OutputFormat::Json);
    assert_eq!(
        requirement.shape().requirement(),
        "{\n  \"value\": <int>,\n  \"reply\": <str> // Reply according the result value\n}"
    );
    let unchanged = Requirement::new(Shape::integer(), OutputFormat::Json);
    assert_eq!(unchanged.shape().requirement(), "<int>");
}

#[test]
fn a_text_needs_no_requirement() {
    let requirement = Requirement::new(Shape::text(), OutputFormat::Text);
    assert_eq!(requirement.to_string(), "");
}

#[test]
fn formats_of_the_newer_release_are_errors() {
    let error = OutputFormat::from_name("hybrid").unwrap_err();
    assert_eq!(error.to_string(), "the output format `hybrid` is not supported");
    assert_eq!(error.help(), Some("use `json`, `markdown` or `text`"));
}

fn value(json: &str) -> Value {
    Value::from_json(json).unwrap()
}

fn read(schema: &str) -> Shape {
    Shape::from_schema(&value(schema)).unwrap()
}

/// The error of a schema that a shape cannot express, with its place.
fn error_of(schema: &str) -> String {
    let error = Shape::from_schema(&value(schema)).unwrap_err();
    format!("{}: {error}", error.place().unwrap())
}

#[test]
fn a_schema_survives_a_round_trip_through_a_shape() {
    let schemas = [
        r#"{"type": "string", "description": "a name"}"#,
        r#"{"type": ["integer", "null"]}"#,
        r#"{"type": "integer", "minimum": 1, "maximum": 5}"#,
        r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#,
        r#"{"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "string"}, {}]}"#,
        r#"{"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
        r#"{"type": "string", "enum": ["a", "b"]}"#,
        r#"{"anyOf": [{"const": "a", "description": "first"}, {"const": "b"}]}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"type": "null"}]}"#,
        r##"{"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}}"##,
    ];
    for schema in schemas {
        assert_eq!(read(schema).to_schema().to_json(), schema);
    }
}

#[test]
fn a_schema_with_two_references_is_written_twice() {
    let shape = read(
        r##"{"properties": {"a": {"$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/P", "description": "second"}},
            "$defs": {"P": {"type": "integer", "description": "first"}}}"##,
    );
    assert_eq!(
        shape.requirement(),
        "{\n  \"a\": <int | NoneType>, // first\n  \"b\": <int | NoneType> // second\n}"
    );
}

#[test]
fn a_recursive_schema_is_written_by_name() {
    let shape = read(
        r##"{"properties": {"left": {"$ref": "#/$defs/Tree"}},
            "$defs": {"Tree": {"properties": {"left": {"$ref": "#/$defs/Tree"}}}}}"##,
    );
    let tree = "{\n  \"left\": <Tree | NoneType>\n}";
    assert_eq!(shape.requirement(), format!("{tree}\n\n<Tree>:\n{tree}"));
    let root = read(r##"{"properties": {"next": {"$ref": "#"}}}"##);
    assert_eq!(root.requirement(), "<Answer>\n\n<Answer>:\n{\n  \"next\": <Answer | NoneType>\n}");
}

#[test]
fn the_alternatives_of_a_tagged_type_have_all_common_keys() {
    let shape = read(
        r#"{"properties": {"id": {"type": "integer"}}, "required": ["id"], "oneOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "string"}}}]}"#,
    );
    assert_eq!(
        shape.requirement(),
        "{\n  \"id\": <int>,\n  \"a\": <str>\n} | {\n  \"id\": <int>,\n  \"b\": <str | NoneType>\n}"
    );
}

#[test]
fn an_unsupported_schema_is_reported_with_its_place() {
    let cases = [
        (
            r#"{"properties": {"a": {"not": {}}}}"#,
            "#/properties/a/not: a shape cannot express `not`",
        ),
        (r#"{"items": {"type": "txt"}}"#, "#/items/type: unknown type `txt` of a schema"),
        (r##"{"$ref": "#/x"}"##, "#/$ref: unknown reference `#/x`"),
        (r#"{"anyOf": [false]}"#, "#/anyOf/0: the schema allows no value"),
        ("7", "#: expected a schema (an object or a boolean), found integer"),
    ];
    for (schema, expected) in cases {
        assert_eq!(error_of(schema), expected);
    }
}

#[test]
fn schemas_that_grow_through_references_are_rejected() {
    let mut definitions = String::new();
    for level in 0..40 {
        let next = level + 1;
        definitions.push_str(&format!(
            r##""d{level}": {{"properties": {{"a": {{"$ref": "#/$defs/d{next}"}}, "b": {{"$ref": "#/$defs/d{next}"}}}}}},"##
        ));
    }
    let schema = format!(r##"{{"$ref": "#/$defs/d0", "$defs": {{{definitions} "d40": {{}}}}}}"##);
    assert!(error_of(&schema).ends_with("the schema is too large for a shape"));
}

#[test]
fn a_strict_schema_requires_all_keys_and_has_no_others() {
    let shape = Shape::object([
        ("a", Shape::text().with_description("said")),
        ("b", Shape::integer().optional()),
        ("c", Shape::literals(["x"]).optional()),
        ("d", Shape::one_of([Shape::text(), Shape::null()]).optional()),
    ]);
    assert_eq!(
        shape.to_strict_schema(StrictDialect::OpenAi).unwrap(),
        value(
            r#"{"type": "object", "properties": {
                "a": {"type": "string", "description": "said"},
                "b": {"type": ["integer", "null"]},
                "c": {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]},
                "d": {"type": ["string", "null"]}
            }, "required": ["a", "b", "c", "d"], "additionalProperties": false}"#
        )
    );
}

#[test]
fn an_unsupported_part_of_a_strict_schema_is_an_error() {
    let strict = |shape: Shape| {
        let error =
            Shape::object([("a", shape)]).to_strict_schema(StrictDialect::OpenAi).unwrap_err();
        format!("{}: {error}", error.place().unwrap())
    };
    let cases = [
        (Shape::any(), "#/properties/a: a strict schema must give the type of each value"),
        (Shape::map(), "#/properties/a: a strict schema must list the keys of each object"),
        (
            Shape::list_of(Shape::list()),
            "#/properties/a/items: a strict schema must give the type of the items of each list",
        ),
        (
            Shape::literals([value("[1]"), value("2")]),
            "#/properties/a: arrays and objects are not allowed as literals in a strict schema",
        ),
    ];
    for (shape, expected) in cases {
        assert_eq!(strict(shape), expected);
    }
    let error = Shape::list_of(Shape::text()).to_strict_schema(StrictDialect::OpenAi).unwrap_err();
    assert_eq!(error.to_string(), "the root of a strict schema must be an object");
}

#[test]
fn a_strict_schema_may_be_recursive() {
    let next = Shape::reference("Node").optional();
    let shape = Shape::recursive("Node", Shape::object([("next", next)]));
    let node = r##"{"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
        "required": ["next"], "additionalProperties": false}"##;
    let mut expected = value(node).as_object().unwrap().clone();
    expected.insert("$defs", value(&format!(r#"{{"Node": {node}}}"#)));
    assert_eq!(shape.to_strict_schema(StrictDialect::OpenAi).unwrap(), Value::Object(expected));
}

#[test]
fn a_key_that_is_null_if_missing_may_be_null() {
    let shape = Shape::object([
        ("a", Shape::integer().with_description("said").with_default(Value::Null)),
        ("b", Shape::integer().with_default(3)),
        ("c", Shape::any().with_default(Value::Null)),
    ]);
    assert_eq!(
        shape.to_schema(),
        value(
            r#"{"type": "object", "properties": {
                "a": {"type": ["integer", "null"], "default": null, "description": "said"},
                "b": {"type": "integer", "default": 3},
                "c": {"default": null}
            }}"#
        )
    );
}

#[test]
fn an_optional_key_may_be_null() {
    let object = Shape::object([("b", Shape::text())]).optional();
    assert_eq!(field(object), "{\n    \"b\": <str>\n  } | <NoneType>");
    assert_eq!(field(Shape::text().optional()), "<str | NoneType>");
    assert_eq!(field(Shape::text().with_default("none")), "<str>");
}

/// The strict schema of the key `a` of an object.
fn strict_part(schema: &str, dialect: StrictDialect) -> String {
    let shape = Shape::object([("a", read(schema))]);
    let strict = shape.to_strict_schema(dialect).unwrap();
    strict.get("properties").unwrap().get("a").unwrap().to_json()
}

#[test]
fn unsupported_keywords_are_written_to_the_description() {
    let cases = [
        (
            r#"{"type": "integer", "description": "Days.", "minimum": 0, "maximum": 255}"#,
            r#"{"type": "integer", "minimum": 0, "maximum": 255, "description": "Days."}"#,
            r#"{"type": "integer", "description": "Days.\n\nLimits: at least 0, at most 255."}"#,
        ),
        (
            r#"{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25}"#,
            r#"{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25}"#,
            r#"{"type": "number", "description": "Limits: above 0, below 1, a multiple of 0.25."}"#,
        ),
        (
            r#"{"type": "string", "minLength": 1, "maxLength": 9, "format": "uri"}"#,
            r#"{"type": "string", "description": "Limits: at least 1 character, at most 9 characters, in the format uri."}"#,
            r#"{"type": "string", "format": "uri", "description": "Limits: at least 1 character, at most 9 characters."}"#,
        ),
        (
            r#"{"type": "string", "pattern": "^[a-z]{2,8}$"}"#,
            r#"{"type": "string", "pattern": "^[a-z]{2,8}$"}"#,
            r#"{"type": "string", "pattern": "^[a-z]{2,8}$"}"#,
        ),
        (
            r#"{"type": "string", "pattern": "^(?!no)\\w+$"}"#,
            r#"{"type": "string", "pattern": "^(?!no)\\w+$"}"#,
            r#"{"type": "string", "description": "Limits: matches the pattern ^(?!no)\\w+$."}"#,
        ),
        (
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}"#,
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}"#,
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Limits: at most 3 items."}"#,
        ),
        (
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": true}"#,
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 2, "description": "Limits: no item twice."}"#,
            r#"{"type": "array", "items": {"type": "string"}, "description": "Limits: at least 2 items, no item twice."}"#,
        ),
    ];
    for (schema, open_ai, anthropic) in cases {
        assert_eq!(strict_part(schema, StrictDialect::OpenAi), open_ai, "{schema}");
        assert_eq!(strict_part(schema, StrictDialect::Anthropic), anthropic, "{schema}");
    }
}

#[test]
fn a_strict_schema_groups_literals_by_kind() {
    let cases = [
        (r#"{"const": "a"}"#, r#"{"type": "string", "enum": ["a"]}"#),
        (r#"{"enum": [1, 2]}"#, r#"{"type": "integer", "enum": [1, 2]}"#),
        (
            r#"{"enum": ["a", 1, null, "b"]}"#,
            r#"{"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "integer", "enum": [1]}, {"type": "null"}]}"#,
        ),
        (
            r#"{"oneOf": [{"const": "a", "description": "First."}, {"const": "b"}]}"#,
            r#"{"anyOf": [{"type": "string", "enum": ["a"], "description": "First."}, {"type": "string", "enum": ["b"]}]}"#,
        ),
    ];
    for (schema, strict) in cases {
        for dialect in [StrictDialect::OpenAi, StrictDialect::Anthropic] {
            assert_eq!(strict_part(schema, dialect), strict, "{schema}");
        }
    }
}

#[test]
fn anthropic_accepts_optional_keys_but_no_recursion() {
    let shape = Shape::object([("a", Shape::text()), ("b", Shape::integer().optional())]);
    assert_eq!(
        shape.to_strict_schema(StrictDialect::Anthropic).unwrap().to_json(),
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#
    );
    let next = Shape::reference("Node").optional();
    let node = Shape::recursive("Node", Shape::object([("next", next)]));
    let nested = Shape::object([("first", node.clone())]);
    for (shape, place) in [(node, "#"), (nested, "#/properties/first")] {
        let error = shape.to_strict_schema(StrictDialect::Anthropic).unwrap_err();
        let message = "recursive schemas are not allowed in the provider's strict mode";
        assert_eq!(error.to_string(), message);
        assert_eq!(error.place().unwrap().to_string(), place);
    }
}

#[test]
fn a_value_that_may_not_be_an_object_is_wrapped() {
    let tagged = r#"{"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "value": {"type": "integer"}}, "required": ["kind", "value"]},
        {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]}
    ]}"#;
    let sent = SentSchema::of_schema(&value(tagged));
    assert_eq!(sent.wrapper_key(), Some("value_"), "`value` is already a key");
    assert_eq!(
        sent.strict(StrictDialect::OpenAi).unwrap().to_json(),
        r#"{"type": "object", "properties": {"value_": {"anyOf": [{"type": "object", "properties": {"kind": {"type": "string", "enum": ["a"]}, "value": {"type": "integer"}}, "required": ["kind", "value"], "additionalProperties": false}, {"type": "object", "properties": {"kind": {"type": "string", "enum": ["b"]}}, "required": ["kind"], "additionalProperties": false}]}}, "required": ["value_"], "additionalProperties": false}"#
    );
    let object = SentSchema::of_shape(Shape::object([("a", Shape::list())]));
    assert_eq!(object.wrapper_key(), None);
}

#[test]
fn a_schema_without_a_strict_form_is_sent_as_a_plain_object() {
    let sent = SentSchema::of_shape(Shape::list_of(Shape::map_of(Shape::integer())));
    assert!(sent.strict(StrictDialect::OpenAi).is_err());
    assert_eq!(
        sent.plain().unwrap().to_json(),
        r#"{"type": "object", "properties": {"value": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}}, "required": ["value"]}"#
    );
    let unsupported = r#"{"type": "object", "properties": {"a": {"not": {"type": "null"}}}}"#;
    let sent = SentSchema::of_schema(&value(unsupported));
    assert_eq!(sent.plain().unwrap(), &value(unsupported));
    let unsupported = r#"{"type": "array", "items": {"not": {"type": "null"}}}"#;
    assert!(SentSchema::of_schema(&value(unsupported)).plain().is_err());
    assert!(SentSchema::of_schema(&value("{}")).plain().is_err());
}

#[test]
fn a_schema_without_a_type_keeps_its_rules() {
    let keys = ["contentEncoding", "contentMediaType", "minLength", "format", "minItems"];
    let schema: prompty_core::value::Map = keys.into_iter().map(|key| (key, value("1"))).collect();
    let written = Shape::from_schema(&schema.into()).unwrap().to_schema();
    for key in keys {
        assert_eq!(written.get(key), Some(&value("1")), "{key}");
    }
}
