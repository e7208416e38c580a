//! The reader of JSON schemas: the targets of references, and the kinds of values at a place.

use prompty_core::schema::{
    Combination, CountKind, Kinds, LocatedSchema, Schema, SchemaForm, Step,
};
use prompty_core::value::Value;

fn value(json: &str) -> Value {
    Value::from_json(json).unwrap()
}

/// The kinds of a root schema.
fn kinds(json: &str) -> Kinds {
    Schema::from_value(&value(json)).kinds()
}

/// The kinds of the property `a`.
fn kinds_of_a(json: &str) -> Kinds {
    Schema::from_value(&value(json)).kinds_at(&[Step::Name("a")])
}

#[test]
fn a_reference_is_a_pointer_with_escapes() {
    for reference in
        ["#/$defs/a~1b", "#/%24defs/a~1b", "#/$defs/a%7E1b", "#/list/anyOf/1", "#/$defs/c%25d%20~0"]
    {
        let schema = format!(
            r#"{{"$ref": "{reference}", "list": {{"anyOf": [{{}}, {{"type": "string"}}]}},
                "$defs": {{"a/b": {{"type": "string"}}, "c%d ~": {{"type": "string"}}}}}}"#
        );
        assert_eq!(kinds(&schema), Kinds::STRING, "{reference}");
    }
}

#[test]
fn an_unknown_reference_has_no_effect() {
    for reference in
        ["#/$defs/b", "#/list/anyOf/2", "#/list/anyOf/01", "#/$defs/a%2Fb", "#a", "a.json", "#/a~3"]
    {
        let schema = format!(
            r#"{{"$ref": "{reference}", "list": {{"anyOf": [{{}}, {{}}]}}, "$defs": {{"a/b": {{}}}}}}"#
        );
        assert_eq!(kinds(&schema), Kinds::ANY, "{reference}");
        let schema = value(&schema);
        assert!(Schema::from_value(&schema).own_target().is_none(), "{reference}");
    }
}

#[test]
fn a_chain_of_references_is_followed() {
    let links: Vec<String> =
        (0..50).map(|at| format!(r##""d{at}": {{"$ref": "#/$defs/d{}"}}"##, at + 1)).collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d50": {{"type": "null"}}}}}}"##,
        links.join(", ")
    );
    assert_eq!(kinds(&schema), Kinds::NULL);
    let schema = value(&schema);
    let resolved = Schema::from_value(&schema).resolved();
    assert_eq!(resolved.value(), Some(&value(r#"{"type": "null"}"#)));
}

#[test]
fn keywords_next_to_a_reference_apply_as_well() {
    let schema = r##"{"$ref": "#/$defs/a", "type": ["string", "null"],
        "$defs": {"a": {"type": ["string", "integer"]}}}"##;
    assert_eq!(kinds(schema), Kinds::STRING);
}

#[test]
fn all_keywords_of_a_schema_apply_together() {
    let null_or_string = Kinds::NULL.union(Kinds::STRING);
    assert_eq!(kinds(r#"{"type": ["string", "integer"], "enum": ["1", null]}"#), Kinds::STRING);
    assert_eq!(kinds(r#"{"const": null, "enum": ["a", null]}"#), Kinds::NULL);
    assert_eq!(kinds(r#"{"anyOf": [{"type": "string"}, {"const": null}]}"#), null_or_string);
    assert_eq!(
        kinds(r#"{"allOf": [{"type": ["string", "null"]}, {"type": ["null", "array"]}]}"#),
        Kinds::NULL
    );
    assert_eq!(
        kinds(r#"{"anyOf": [{"type": "string"}, {}], "oneOf": [{"type": "array"}]}"#),
        Kinds::ARRAY
    );
    assert_eq!(kinds("false"), Kinds::NONE);
    assert_eq!(kinds("true"), Kinds::ANY);
}

#[test]
fn a_keyword_of_a_wrong_form_has_no_effect() {
    for schema in [
        r#"{"type": "text"}"#,
        r#"{"type": []}"#,
        r#"{"type": 7}"#,
        r#"{"enum": "a"}"#,
        r#"{"anyOf": {}}"#,
        r#"{"$ref": 1}"#,
        "7",
    ] {
        assert_eq!(kinds(schema), Kinds::ANY, "{schema}");
    }
    let schema = value(r#"{"type": "text"}"#);
    let error = Schema::from_value(&schema).keywords().unwrap().kinds().unwrap_err();
    assert_eq!(error.to_string(), "unknown type `text` of a schema");
    assert!(error.help().unwrap().contains("string"));
}

#[test]
fn a_float_without_a_fraction_is_an_integer() {
    assert_eq!(Kinds::from_value(&Value::Float(2.0)), Kinds::INTEGER);
    assert!(!Kinds::INTEGER.contains(Kinds::from_value(&Value::Float(2.5))));
    assert!(Kinds::NUMBER.contains(Kinds::from_value(&Value::Float(2.5))));
}

#[test]
fn a_place_inside_is_found_through_references_and_combinations() {
    let string = r#"{"properties": {"a": {"type": "string"}}}"#;
    for schema in [
        string.to_owned(),
        format!(r##"{{"$ref": "#/$defs/x", "$defs": {{"x": {string}}}}}"##),
        format!(r#"{{"allOf": [{{"type": "object"}}, {string}]}}"#),
        format!(r#"{{"anyOf": [{{"type": "null"}}, {string}]}}"#),
        format!(r#"{{"oneOf": [{{"properties": {{"b": {{}}}}}}, {{"anyOf": [{string}]}}]}}"#),
        r#"{"properties": {"b": {}}, "additionalProperties": {"type": "string"}}"#.to_owned(),
    ] {
        assert_eq!(kinds_of_a(&schema), Kinds::STRING, "{schema}");
    }
}

#[test]
fn the_kinds_of_a_place_are_those_of_all_alternatives() {
    let schema = r#"{"anyOf": [
        {"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "integer"}}}
    ]}"#;
    assert_eq!(kinds_of_a(schema), Kinds::STRING.union(Kinds::INTEGER));
    let schema = r#"{"allOf": [
        {"properties": {"a": {"type": ["string", "null"]}}}, {"properties": {"a": {"type": "null"}}}
    ]}"#;
    assert_eq!(kinds_of_a(schema), Kinds::NULL);
}

#[test]
fn a_name_that_a_pattern_may_match_is_not_an_additional_property() {
    let schema = r#"{"patternProperties": {"^a": {}}, "additionalProperties": {"type": "string"}}"#;
    assert_eq!(kinds_of_a(schema), Kinds::ANY);
}

#[test]
fn items_are_found_by_their_index() {
    let at =
        |schema: &str, index| Schema::from_value(&value(schema)).kinds_at(&[Step::Index(index)]);
    let new = r#"{"prefixItems": [{"type": "null"}], "items": {"type": "string"}}"#;
    let old = r#"{"items": [{"type": "null"}], "additionalItems": {"type": "string"}}"#;
    for schema in [new, old] {
        assert_eq!((at(schema, 0), at(schema, 1)), (Kinds::NULL, Kinds::STRING), "{schema}");
    }
    assert_eq!(at(r#"{"items": {"type": "null"}}"#, 9), Kinds::NULL);
}

#[test]
fn a_recursive_schema_is_read_as_deep_as_the_place() {
    let schema = value(
        r##"{"$ref": "#/$defs/node", "$defs": {"node": {"properties": {
            "name": {"type": "string"}, "children": {"items": {"$ref": "#/$defs/node"}}}}}}"##,
    );
    let mut path = Vec::new();
    for _ in 0..60 {
        path.extend([Step::Name("children"), Step::Index(3)]);
    }
    path.push(Step::Name("name"));
    assert_eq!(Schema::from_value(&schema).kinds_at(&path), Kinds::STRING);
}

#[test]
fn a_schema_that_refers_to_itself_adds_no_restriction() {
    assert_eq!(kinds(r##"{"$ref": "#"}"##), Kinds::ANY);
    assert_eq!(kinds(r##"{"type": "string", "anyOf": [{"$ref": "#"}]}"##), Kinds::STRING);
    let schema = r##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {
        "a": {"type": ["null", "string"], "allOf": [{"$ref": "#/$defs/b"}]},
        "b": {"type": ["null", "array"], "allOf": [{"$ref": "#/$defs/a"}]}}}"##;
    assert_eq!(kinds(schema), Kinds::NULL);
}

#[test]
fn mutual_references_of_alternatives_do_not_take_endless_time() {
    // Each definition refers to the next one nine times: 9^30 in all.
    let definitions: Vec<String> = (0..30)
        .map(|at| {
            let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, at + 1);
            format!(r#""d{at}": {{"anyOf": [{}]}}"#, vec![next; 9].join(", "))
        })
        .collect();
    let definitions = definitions.join(", ");
    let schema = value(&format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{definitions}, "d30": {{"type": "null"}}}}}}"##
    ));
    let schema = Schema::from_value(&schema);
    assert_eq!(schema.kinds(), Kinds::ANY);
    assert!(schema.parts_at(&[Step::Name("a")]).is_empty());
    assert!(!schema.requires_some_name());
}

#[test]
fn the_schemas_of_a_place_are_returned_without_duplicates() {
    let schema = value(
        r##"{"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}, {"properties": {"a": {}}}],
            "$defs": {"x": {"properties": {"a": {"type": "string"}}}}}"##,
    );
    let parts = Schema::from_value(&schema).parts_at(&[Step::Name("a")]);
    let parts: Vec<String> = parts.iter().map(|part| part.value().unwrap().to_json()).collect();
    assert_eq!(parts, [r#"{"type": "string"}"#, "{}"]);
}

#[test]
fn a_required_name_is_found_through_references_and_combinations() {
    let requires = |schema: &str| Schema::from_value(&value(schema)).requires_some_name();
    assert!(requires(r#"{"required": ["a"]}"#));
    assert!(requires(r##"{"$ref": "#/$defs/x", "$defs": {"x": {"required": ["a"]}}}"##));
    assert!(requires(r#"{"allOf": [{}, {"required": ["a"]}]}"#));
    assert!(requires(r#"{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#));
    assert!(!requires(r#"{"anyOf": [{"required": ["a"]}, {}]}"#));
    assert!(!requires(r#"{"required": []}"#));
}

#[test]
fn properties_come_from_all_schemas_that_apply_together() {
    let schema = value(
        r##"{"properties": {"a": {"type": "string"}}, "required": ["b"],
            "$ref": "#/$defs/x", "allOf": [{"properties": {"c": {}}, "required": ["a"]}],
            "anyOf": [{"properties": {"d": {}}}, {}],
            "$defs": {"x": {"properties": {"a": {"maxLength": 3}, "b": {}}}}}"##,
    );
    let properties = Schema::from_value(&schema).properties();
    let found: Vec<(&str, usize, bool)> = properties
        .iter()
        .map(|property| (property.name, property.schemas.len(), property.is_required))
        .collect();
    assert_eq!(found, [("a", 2, true), ("b", 1, true), ("c", 1, false)]);
}

#[test]
fn a_schema_with_only_a_reference_is_resolved() {
    let resolved = |schema: &str| {
        let schema = value(schema);
        Schema::from_value(&schema).resolved().kinds()
    };
    let definitions = r#""$defs": {"a": {"type": "null"}}"#;
    let only = format!(r##"{{"$ref": "#/$defs/a", "title": "A", {definitions}}}"##);
    assert_eq!(resolved(&only), Kinds::NULL);
    let nested = format!(r##"{{"allOf": [{{"$ref": "#/$defs/a"}}], {definitions}}}"##);
    assert_eq!(resolved(&nested), Kinds::NULL);
    let more = value(&format!(r##"{{"$ref": "#/$defs/a", "minimum": 3, {definitions}}}"##));
    let more = Schema::from_value(&more);
    assert!(more.only_reference().is_none());
    assert_eq!(more.resolved().value(), more.value());
}

#[test]
fn places_of_schemas_are_pointers() {
    let schema = value(
        r##"{"properties": {"a/b": {"anyOf": [{}, {"$ref": "#/%24defs/c%20d"}]}},
            "$defs": {"c d": {"type": 7}}}"##,
    );
    let root = LocatedSchema::root(&schema);
    let properties = root.schema.keywords().unwrap().properties().unwrap();
    let property = root.property("a/b", properties.get("a/b").unwrap());
    let keywords = property.schema.keywords().unwrap();
    let list = keywords.combination(Combination::AnyOf).unwrap();
    let alternatives = property.children("anyOf", list);
    assert_eq!(alternatives[1].pointer.to_string(), "#/properties/a~1b/anyOf/1");
    let reference = alternatives[1].schema.only_reference().unwrap();
    let target = alternatives[1].target(reference).unwrap();
    let error = target.schema.keywords().unwrap().kinds().unwrap_err();
    let error = target.keyword_error(&error);
    assert_eq!(error.place().unwrap().to_string(), "#/$defs/c d/type");
    let expected = "expected a type or an array of types as `type` of a schema, found integer";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn old_and_new_forms_of_bounds_are_read() {
    let schema = value(
        r#"{"minimum": 1, "exclusiveMinimum": true, "exclusiveMaximum": 3.5, "minItems": 2,
            "maxItems": 99999999999}"#,
    );
    let SchemaForm::Keywords(keywords) = Schema::from_value(&schema).form() else {
        panic!("not an object")
    };
    let bounds = keywords.bounds().unwrap();
    let contains = |number: f64| {
        bounds.contains(&prompty_core::schema::Decimal::from_value(&Value::Float(number)).unwrap())
    };
    assert!(!contains(1.0) && contains(1.01) && contains(3.49) && !contains(3.5));
    let count = keywords.count(CountKind::Items).unwrap();
    assert_eq!((count.at_least, count.at_most), (Some(2), None));
}
