//! Schemas: the texts that their grammars match, errors, and widened keywords.

use grammar_testing::Gbnf;
use prompty_core::ErrorKind;
use prompty_core::message::ToolSpec;
use prompty_core::value::Value;
use prompty_reply::grammar::Grammar;
use prompty_reply::grammar::schema::SchemaOptions;

use crate::calls::{gbnf, tagged};
use crate::support::{compile_schema, forms_of_schema};

#[track_caller]
fn check(schema: &str, admitted: &[&str], refused: &[&str]) {
    let forms = forms_of_schema(schema);
    for text in admitted {
        assert!(forms.admits(text), "{schema} refuses {text}\n{}", forms.lark_text);
    }
    for text in refused {
        assert!(!forms.admits(text), "{schema} admits {text}\n{}", forms.lark_text);
    }
}

/// The place and the message of the error.
#[track_caller]
fn error(schema: &str) -> (String, String) {
    let error = compile_schema(schema).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Grammar);
    (error.place().map(ToString::to_string).unwrap_or_default(), error.to_string())
}

#[test]
fn numbers_stay_within_their_bounds() {
    check(
        r#"{"type": "number", "minimum": -0.5, "exclusiveMaximum": 12.25}"#,
        &["-0.5", "-0.49", "0", "0.0", "12", "12.24", "12.2499", "11.999", "3.14"],
        &["-0.51", "-1", "12.25", "12.3", "13", "1e1", "012", "-0.500001"],
    );
    check(r#"{"type": "number", "minimum": 0.05}"#, &["0.05", "0.050", "7"], &["0", "0.049", "-1"]);
    check(
        r#"{"exclusiveMinimum": 1, "exclusiveMaximum": 1.5}"#,
        &["1.1", "1.01"],
        &["1", "1.0", "1.5"],
    );
    check(
        r#"{"type": "integer", "minimum": 1.5, "maximum": 12345678901234567890}"#,
        &["2", "12345678901234567890", "12345678901234567889"],
        &["1", "12345678901234567891", "02"],
    );
    check(
        r#"{"type": "integer", "exclusiveMinimum": -3, "maximum": -1}"#,
        &["-2", "-1"],
        &["-3", "0"],
    );
    check(r#"{"type": "integer", "minimum": 5, "exclusiveMinimum": true}"#, &["6"], &["5"]);
}

#[test]
fn objects_keep_the_order_of_the_schema() {
    check(
        r#"{"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"const": 1}},
            "required": ["b"]}"#,
        &[r#"{"b": 1}"#, r#"{"a":2,"b":1}"#, r#"{ "a" : 2, "b": 1, "c": 1}"#, r#"{"b":1,"c":1}"#],
        &["{}", r#"{"b":1,"a":2}"#, r#"{"a":2}"#, r#"{"b":1,"d":1}"#, r#"{"a":2,"c":1,"b":1}"#],
    );
    check(
        r#"{"properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"const": 1}, "d": {"const": 1}},
            "required": ["b", "d", "e"], "additionalProperties": {"const": 2}}"#,
        &[
            r#"{"b":1,"d":1,"e":2}"#,
            r#"{"a":1,"b":1,"c":1,"d":1,"e":2,"f":2,"g":2}"#,
            r#"{"b":1,"c":1,"d":1,"e":2}"#,
        ],
        &[r#"{"b":1,"d":1}"#, r#"{"b":1,"e":2,"d":1}"#, r#"{"f":2,"b":1,"d":1,"e":2}"#],
    );
}

#[test]
fn additional_properties_differ_from_named_ones() {
    check(
        r#"{"properties": {"ab": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#,
        &[r#"{"ab": 1}"#, r#"{"a": "x"}"#, r#"{"abc": "x"}"#, r#"{"": "x", "ä\n": "y"}"#],
        &[r#"{"ab": "x"}"#, r#"{"a\u0062": "x"}"#, r#"{"x": 1}"#],
    );
}

#[test]
fn arrays_have_first_items_and_others() {
    check(
        r#"{"prefixItems": [{"type": "integer"}, {"type": "boolean"}], "items": {"type": "null"}}"#,
        &["[1, true]", "[1,true,null]", "[1,true, null,\n    null]"],
        &["[1]", "[]", "[true, 1]", "[1,true,true]"],
    );
    check(
        r#"{"prefixItems": [{"type": "integer"}, {"type": "boolean"}], "minItems": 0}"#,
        &["[]", "[1]", "[1,true]"],
        &["[true]", "[1,true,1]"],
    );
    check(
        r#"{"items": {"type": "integer"}, "minItems": 1, "maxItems": 2}"#,
        &["[1]", "[1,2]"],
        &["[]", "[1,2,3]"],
    );
}

#[test]
fn strings_have_lengths_patterns_and_formats() {
    check(
        r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
        &[r#""ab""#, r#""äöü""#, r#""\ud83d\ude00\n""#, r#""\u00e4b""#],
        &[r#""a""#, r#""abcd""#, r#""\ud83d""#],
    );
    check(
        r#"{"pattern": "^(ab|\\d{2,3})?[^x-z]$"}"#,
        &[r#""a""#, r#""aba""#, r#""123\"""#, r#""12\\""#, r#""\n""#],
        &[r#""x""#, r#""abx""#, r#""1234a""#],
    );
    check(r#"{"pattern": "b+"}"#, &[r#""b""#, r#""abba""#, r#""\nb""#], &[r#""""#, r#""a""#]);
    check(r#"{"pattern": "^ab|c$"}"#, &[r#""ab""#, r#""c""#], &[r#""abx""#, r#""xc""#]);
    check(r#"{"pattern": "^a{2,3}$", "minLength": 2, "maxLength": 9}"#, &[r#""aa""#], &[r#""a""#]);
}

#[test]
fn dates_follow_the_calendar() {
    check(
        r#"{"format": "date"}"#,
        &[r#""2024-02-29""#, r#""2000-02-29""#, r#""1999-12-31""#],
        &[r#""2023-02-29""#, r#""1900-02-29""#, r#""2024-04-31""#, r#""2024-13-01""#],
    );
    check(
        r#"{"format": "date-time"}"#,
        &[r#""2024-02-29T23:59:59Z""#, r#""2024-01-01T00:00:00.123+01:00""#],
        &[r#""2024-02-30T00:00:00Z""#, r#""2024-01-01T24:00:00Z""#, r#""2024-01-01""#],
    );
}

#[test]
fn schemas_can_contain_themselves() {
    check(
        r##"{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties":
            {"name": {"type": "string"}, "children": {"items": {"$ref": "#/$defs/node"}}},
            "required": ["name"]}}}"##,
        &[
            r#"{"name": "a"}"#,
            r#"{"name": "a", "children": []}"#,
            r#"{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}, {"name": "d"}]}"#,
        ],
        &[r#"{"name": "a", "children": [{}]}"#, r#"{"children": []}"#, r#"{"name": "a""#],
    );
}

#[test]
fn references_are_pointers_with_escapes() {
    for reference in ["#/$defs/a~1b", "#/%24defs/a~1b", "#/$defs/a%7E1b", "#/list/anyOf/1"] {
        let schema = format!(
            r#"{{"items": {{"$ref": "{reference}"}}, "$defs": {{"a/b": {{"const": 1}}}},
                "list": {{"anyOf": [{{"const": 0}}, {{"const": 1}}]}}}}"#
        );
        // `list` is not a keyword.
        check(&schema, &["[1]", "[]"], &["[0]", "[true]"]);
    }
    for reference in ["#/list/anyOf/01", "#/list/anyOf/+1", "#/list/anyOf/2", "#/$defs/a~2b"] {
        let schema = format!(r#"{{"$ref": "{reference}", "list": {{"anyOf": [{{}}, {{}}]}}}}"#);
        let message = format!("`$ref` leads to `{reference}`, which is not in this schema");
        assert_eq!(error(&schema), ("#/$ref".to_owned(), message));
    }
}

#[test]
fn two_references_to_one_definition_are_one_rule() {
    let schema = r##"{"prefixItems": [{"$ref": "#/$defs/a b"}, {"$ref": "#/$defs/a%20b"}],
        "$defs": {"a b": {"type": "null"}}}"##;
    let gbnf = compile_schema(schema).unwrap().grammar.to_gbnf();
    assert_eq!(gbnf.matches("::= \"null\"").count(), 1, "{gbnf}");
}

#[test]
fn tagged_argument_has_the_type_of_its_reference() {
    let schema = r##"{"properties": {"a": {"$ref": "#/$defs/a~1b"}, "b": {"$ref": "#/%24defs/c%20d"}},
        "required": ["a", "b"],
        "$defs": {"a/b": {"type": "string"}, "c d": {"type": "boolean"}}}"##;
    let tool = ToolSpec::new("f", Value::from_json(schema).unwrap().as_object().unwrap().clone());
    let grammar = Gbnf::parse(&gbnf(&tagged(tool))).unwrap();
    assert!(grammar.admits("<f=f><p=a>7</p><p=b>true</p></f>"));
    assert!(grammar.admits("<f=f><p=a>any text</p><p=b>false</p></f>"));
    assert!(!grammar.admits("<f=f><p=a>7</p><p=b>7</p></f>"));
}

#[test]
fn tagged_arguments_come_from_all_schemas_that_must_hold() {
    let schema = r##"{"$ref": "#/$defs/x", "$defs": {"x": {
        "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"],
        "allOf": [{"properties": {"a": {"type": "null"}, "b": {"type": "boolean"}}}]}}}"##;
    let tool = ToolSpec::new("f", Value::from_json(schema).unwrap().as_object().unwrap().clone());
    let grammar = Gbnf::parse(&gbnf(&tagged(tool))).unwrap();
    assert!(grammar.admits("<f=f><p=a>null</p><p=b>true</p></f>"));
    assert!(!grammar.admits("<f=f><p=a>text</p><p=b>true</p></f>"));
    assert!(!grammar.admits("<f=f><p=b>true</p></f>"));
}

#[test]
fn tagged_argument_may_refer_to_the_complete_schema() {
    let schema =
        r##"{"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"type": "null"}}}"##;
    let tool = ToolSpec::new("f", Value::from_json(schema).unwrap().as_object().unwrap().clone());
    let grammar = Gbnf::parse(&gbnf(&tagged(tool))).unwrap();
    assert!(grammar.admits(r#"<f=f><p=a>{"a": {"b": null}}</p></f>"#));
    assert!(!grammar.admits(r#"<f=f><p=a>{"b": 1}</p></f>"#));
}

#[test]
fn schemas_that_must_hold_together_are_merged() {
    check(
        r#"{"allOf": [
            {"properties": {"a": {"type": "number"}}, "required": ["a"]},
            {"properties": {"a": {"minimum": 3}, "b": {"type": "string", "maxLength": 1}}}
        ]}"#,
        &[r#"{"a": 3.5}"#, r#"{"a": 4, "b": "x"}"#],
        &[r#"{"a": 2}"#, r#"{"b": "x"}"#, r#"{"a": 4, "b": "xy"}"#],
    );
    check(
        r#"{"type": ["integer", "null"], "anyOf": [{"minimum": 3, "maximum": 4}, {"type": "null"}]}"#,
        &["3", "4", "null"],
        &["2", "5", "3.5"],
    );
    check(
        r#"{"enum": [1, "a", "abc", null], "type": "string", "maxLength": 2}"#,
        &[r#""a""#],
        &["1", r#""abc""#],
    );
}

#[test]
fn unrestricted_schema_matches_any_value() {
    for schema in ["{}", "true"] {
        check(
            schema,
            &[
                "0",
                "-1.5e+10",
                r#"{"a": [1, {"b": null}], "c": "\u00e4"}"#,
                "[[],\n  [] ]",
                "false",
            ],
            &["", "01", "[1,]", "{\"a\"}", "nul", "\"\n\"", "1.", "{a: 1}"],
        );
    }
}

#[test]
fn unsupported_keyword_is_an_error_with_its_place() {
    for (schema, place) in [
        (r#"{"properties": {"a/b": {"not": {}}}}"#, "#/properties/a~1b/not"),
        (r#"{"items": {"uniqueItems": true}}"#, "#/items/uniqueItems"),
        (r#"{"if": {"type": "null"}, "then": {}}"#, "#/if"),
        (r#"{"patternProperties": {"^a": {}}}"#, "#/patternProperties"),
        (r#"{"anyOf": [{"multipleOf": 3}]}"#, "#/anyOf/0/multipleOf"),
        (r#"{"pattern": "^(?=a)a$"}"#, "#/pattern"),
        (r#"{"pattern": "^a+$", "maxLength": 3}"#, "#/maxLength"),
        (r#"{"$ref": "https://example.org/schema"}"#, "#/$ref"),
        (r##"{"$ref": "#/$defs/none"}"##, "#/$ref"),
        (r#"{"type": "kaboom"}"#, "#/type"),
        (r#"{"type": 123}"#, "#/type"),
        (r#"{"required": [1]}"#, "#/required"),
        (r#"{"minLength": -1}"#, "#/minLength"),
    ] {
        assert_eq!(error(schema).0, place, "{schema}");
    }
}

#[test]
fn error_says_how_to_fix_it() {
    let error = compile_schema(r#"{"properties": {"tags": {"uniqueItems": true}}}"#).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "a grammar cannot express `uniqueItems`: a grammar cannot count or compare earlier text\n  \
         --> #/properties/tags/uniqueItems\n  \
         = help: remove it from the schema, or allow a wider grammar with `SchemaOptions::widen` or \
         `GrammarOptions::with_widen`"
    );
}

#[test]
fn widened_keywords_are_reported() {
    let schema = r#"{"type": "object", "properties": {
        "tags": {"items": {"type": "string", "format": "email"}, "uniqueItems": true},
        "id": {"type": "integer", "format": "int32", "multipleOf": 2}
    }}"#;
    let options = SchemaOptions::new().widen(true);
    let found = Grammar::of_schema(&Value::from_json(schema).unwrap(), &options).unwrap();
    let widened: Vec<String> = found.widened.iter().map(ToString::to_string).collect();
    let expected = [
        "#/properties/tags/uniqueItems",
        "#/properties/tags/items/format",
        "#/properties/id/multipleOf",
    ];
    assert_eq!(widened, expected);
}

#[test]
fn overlapping_alternatives_are_reported() {
    let widened_count = |schema| compile_schema(schema).unwrap().widened.len();
    assert_eq!(widened_count(r#"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#), 1);
    assert_eq!(widened_count(r#"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#), 0);
    assert_eq!(widened_count(r#"{"oneOf": [{"const": "a"}, {"const": "b"}]}"#), 0);
    let tagged = r#"{"oneOf": [
        {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}
    ]}"#;
    assert_eq!(widened_count(tagged), 0);
}

#[test]
fn schema_without_any_value_is_an_error() {
    for schema in [
        "false",
        r#"{"type": "integer", "minimum": 3, "maximum": 2}"#,
        r#"{"enum": [1], "type": "string"}"#,
        r#"{"properties": {"a": false}, "required": ["a"]}"#,
        r##"{"properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##,
    ] {
        assert_eq!(error(schema).1, "no text matches the grammar", "{schema}");
    }
}

#[test]
fn reference_that_only_leads_to_itself_is_an_error() {
    for (schema, place, named) in [
        (r##"{"$ref": "#"}"##, "#/$ref", "#"),
        (
            r##"{"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}"##,
            "#/properties/x/$ref",
            "#/$defs/a",
        ),
        (
            r##"{"items": {"$ref": "#/$defs/a"}, "$defs":
                {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
            "#/items/$ref",
            "#/$defs/a",
        ),
    ] {
        let message = format!("`$ref` leads to `{named}`, which only refers to itself");
        assert_eq!(error(schema), (place.to_owned(), message), "{schema}");
        assert!(
            format!("{:#}", compile_schema(schema).unwrap_err()).contains("help: "),
            "{schema}"
        );
    }
}

/// `oneOf` means exactly one, and `unevaluated...: false` forbids what no schema names.
#[test]
fn listed_values_that_another_keyword_forbids_are_left_out() {
    for (schema, left_out, kept) in [
        (r#"{"enum": [1, 9], "oneOf": [{"minimum": 1}, {"maximum": 5}]}"#, "1", "9"),
        (
            r#"{"enum": [{"b": 1}, {"a": 1}], "properties": {"a": {}}, "unevaluatedProperties": false}"#,
            r#"{"b":1}"#,
            r#"{"a":1}"#,
        ),
        (
            r#"{"enum": [[1, 2], [1]], "prefixItems": [{}], "unevaluatedItems": false}"#,
            "[1,2]",
            "[1]",
        ),
    ] {
        check(schema, &[kept], &[left_out]);
    }
}

#[test]
fn hostile_schemas_are_refused_fast() {
    let deep = format!("{}{{}}{}", r#"{"items":"#.repeat(100), "}".repeat(100));
    assert_eq!(compile_schema(&deep).unwrap_err().kind(), ErrorKind::Limit);
    // Each definition contains the next one twice: 2^40 in all.
    let doubled: Vec<String> = (0..40)
        .map(|at| {
            let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, at + 1);
            format!(r#""d{at}": {{"allOf": [{next}, {next}]}}"#)
        })
        .collect();
    let schema =
        format!(r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d40": {{}}}}}}"##, doubled.join(","));
    assert_eq!(compile_schema(&schema).unwrap_err().kind(), ErrorKind::Limit);
    let itself = r##"{"allOf": [{"$ref": "#"}, {"type": "null"}]}"##;
    assert_eq!(compile_schema(itself).unwrap_err().kind(), ErrorKind::Limit);
    for combination in ["allOf", "anyOf", "oneOf"] {
        let listed = format!(r##"{{"enum": [1], "{combination}": [{{"$ref": "#"}}]}}"##);
        assert_eq!(compile_schema(&listed).unwrap_err().kind(), ErrorKind::Limit);
    }
    let groups = "(".repeat(5000) + &")".repeat(5000);
    assert_eq!(error(&format!(r#"{{"pattern": "^{groups}$"}}"#)).0, "#/pattern");
}

#[test]
fn written_text_counts_against_the_budget() {
    // A string that would be written 2^12 times.
    let texts: Vec<String> = (0..12)
        .map(|at| {
            let next = format!(r##"{{"$ref": "#/$defs/d{}", "minProperties": 0}}"##, at + 1);
            format!(r#""d{at}": {{"properties": {{"a": {next}, "b": {next}}}}}"#)
        })
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d12": {{"enum": ["{}"]}}}}}}"##,
        texts.join(","),
        "x".repeat(100_000)
    );
    assert_eq!(compile_schema(&schema).unwrap_err().kind(), ErrorKind::Limit);
}

/// Each value is looked up among the others, instead of compared with each of them.
#[test]
fn long_disjoint_lists_contradict_each_other() {
    let list = |from: usize| (from..from + 5000).map(|it| it.to_string()).collect::<Vec<_>>();
    let [one, other] = [0, 5000].map(|from| list(from).join(","));
    let schema = format!(r#"{{"allOf": [{{"enum": [{one}]}}, {{"enum": [{other}]}}]}}"#);
    assert_eq!(compile_schema(&schema).unwrap_err().kind(), ErrorKind::Grammar);
}

/// A bound with many digits is a rule with many levels, each optional after the previous one.
#[test]
fn bound_with_many_digits_is_written_in_every_form() {
    let schema = r#"{"properties": {"a/b": {"multipleOf": -3, "items": true, "pattern": "$"}},
        "exclusiveMaximum": 170141183460469231731687303715884105727}"#;
    let options = SchemaOptions::new().widen(true);
    let found = Grammar::of_schema(&Value::from_json(schema).unwrap(), &options).unwrap();
    let grammar = found.grammar;
    let lengths = [grammar.to_gbnf().len(), grammar.to_lark().len()];
    assert!(lengths.iter().all(|length| (1..200_000).contains(length)), "{lengths:?}");
}
