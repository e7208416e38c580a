//! The type of a tagged argument if the tool's schema gives it indirectly.

use prompty_core::message::ToolSpec;
use prompty_core::value::Value;
use prompty_reply::ReplyParser;

use crate::support::{self, calls, read};

/// The arguments of a call with `7` as its argument `a`, in tags without a type.
fn seven(schema: &str) -> String {
    arguments(schema, "<call><do=f>\n<arg=a>\n7\n</arg>\n</do>\n</call>")
}

fn arguments(schema: &str, text: &str) -> String {
    let schema = Value::from_json(schema).expect("the schema is JSON");
    let tool = ToolSpec::new("f", schema.as_object().expect("an object").clone());
    let parser = ReplyParser::new(support::tagged()).with_tools(&[tool]);
    let reply = read(&parser, text);
    let calls = calls(&reply);
    assert!(calls.len() == 1 && calls[0].2, "{reply:?}");
    calls[0].1.to_owned()
}

#[test]
fn reference_to_a_string_is_followed_through_escapes() {
    for reference in
        ["#/$defs/a~1b", "#/%24defs/a~1b", "#/$defs/a%7E1b", "#/$defs/c%20~0", "#/list/anyOf/1"]
    {
        let schema = format!(
            r#"{{"properties": {{"a": {{"$ref": "{reference}"}}}},
                "$defs": {{"a/b": {{"type": "string"}}, "c ~": {{"type": "string"}}}},
                "list": {{"anyOf": [{{"type": "integer"}}, {{"type": "string"}}]}}}}"#
        );
        assert_eq!(seven(&schema), r#"{"a": "7"}"#, "{reference}");
    }
}

#[test]
fn long_chain_of_references_is_followed() {
    let links: Vec<String> =
        (0..40).map(|at| format!(r##""d{at}": {{"$ref": "#/$defs/d{}"}}"##, at + 1)).collect();
    let schema = format!(
        r##"{{"properties": {{"a": {{"$ref": "#/$defs/d0"}}}},
            "$defs": {{{}, "d40": {{"type": "string"}}}}}}"##,
        links.join(", ")
    );
    assert_eq!(seven(&schema), r#"{"a": "7"}"#);
}

#[test]
fn circular_references_have_no_type() {
    let schema = r##"{"properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}}"##;
    assert_eq!(seven(schema), r#"{"a": 7}"#);
}

#[test]
fn all_keywords_of_an_argument_apply() {
    let of = |schema: &str| {
        let definitions = r##""$defs": {"x": {"type": ["string", "integer"]}}"##;
        seven(&format!(r#"{{"properties": {{"a": {schema}}}, {definitions}}}"#))
    };
    let (text, number) = (r#"{"a": "7"}"#, r#"{"a": 7}"#);
    assert_eq!(of(r#"{"type": ["string", "integer"], "enum": ["7", "8"]}"#), text);
    assert_eq!(of(r#"{"type": ["string", "integer"], "anyOf": [{"type": "string"}]}"#), text);
    assert_eq!(of(r##"{"$ref": "#/$defs/x", "enum": ["7"]}"##), text);
    assert_eq!(of(r##"{"$ref": "#/$defs/x"}"##), number);
}

#[test]
fn argument_is_found_if_the_complete_schema_refers_or_combines() {
    let arguments = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    for schema in [
        format!(r##"{{"$ref": "#/$defs/x", "$defs": {{"x": {arguments}}}}}"##),
        format!(r#"{{"allOf": [{arguments}, {{"required": ["a"]}}]}}"#),
        r#"{"properties": {}, "additionalProperties": {"type": "string"}}"#.to_owned(),
    ] {
        assert_eq!(seven(&schema), r#"{"a": "7"}"#, "{schema}");
    }
}

#[test]
fn call_without_arguments_is_complete_only_if_none_is_required() {
    let is_complete = |schema: &str| {
        let schema = Value::from_json(schema).expect("the schema is JSON");
        let tool = ToolSpec::new("f", schema.as_object().expect("an object").clone());
        let parser = ReplyParser::new(support::json()).with_tools(&[tool]);
        let reply = read(&parser, r#"<call>{"name": "f"}</call>"#);
        calls(&reply).iter().any(|(_, arguments, complete)| *complete && *arguments == "{}")
    };
    assert!(is_complete(r#"{"properties": {"a": {}}}"#));
    assert!(!is_complete(r#"{"properties": {"a": {}}, "required": ["a"]}"#));
    let referred = r##"{"$ref": "#/$defs/x", "$defs": {"x": {"required": ["a"]}}}"##;
    assert!(!is_complete(referred));
}

#[test]
fn items_of_nested_tags_have_their_own_schemas() {
    let schema = r#"{"properties": {"a": {"type": "array",
        "prefixItems": [{"type": "integer"}], "items": {"type": "string"}}}}"#;
    let schema = Value::from_json(schema).expect("the schema is JSON");
    let tool = ToolSpec::new("f", schema.as_object().expect("an object").clone());
    let parser = ReplyParser::new(support::nested()).with_tools(&[tool]);
    let text =
        "~<calls>\n~<do name=\"f\">~<a>~<item>7~</item>~<item>7~</item>~</a>~</do>\n~</calls>";
    let reply = read(&parser, text);
    assert_eq!(calls(&reply), [("f", r#"{"a": [7, "7"]}"#, true)]);
}
