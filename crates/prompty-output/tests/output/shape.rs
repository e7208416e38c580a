//! Tests of requirements and strict schemas of Rust types.
#![allow(dead_code, reason = "the types are only described")]

use std::collections::BTreeMap;

use prompty_core::schema::shape::Shape;
use prompty_core::schema::shape::{OutputFormat, StrictDialect};
use prompty_output::output::{Output, shape_of};
use schemars::JsonSchema;
use serde::Deserialize;

/// How it feels.
#[derive(Deserialize, JsonSchema)]
enum Mood {
    /// Nothing to worry about.
    Calm,
    Angry,
}

#[derive(Deserialize, JsonSchema)]
enum Part {
    Text(String),
    /// A picture.
    Image {
        url: String,
        #[schemars(range(min = 1))]
        width: Option<u32>,
    },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Step {
    Wait { seconds: u8 },
    Say { words: String },
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    /// What it is
    /// called.
    name: String,
    children: Vec<Node>,
    next: Option<Box<Node>>,
}

#[derive(Deserialize, JsonSchema)]
struct Inner {
    mood: Mood,
    counts: BTreeMap<String, u8>,
}

#[derive(Deserialize, JsonSchema)]
struct Outer {
    id: u64,
    #[serde(flatten)]
    inner: Inner,
    pair: (String, f64),
    #[serde(default)]
    tags: Vec<String>,
    by_number: BTreeMap<u8, Mood>,
}

#[test]
fn choices_are_listed_with_their_descriptions() {
    insta::assert_snapshot!(shape_of::<Vec<Mood>>().requirement());
}

#[test]
fn alternatives_are_separated_by_bars() {
    insta::assert_snapshot!(shape_of::<Vec<Part>>().requirement());
    insta::assert_snapshot!(shape_of::<Step>().requirement());
}

#[test]
fn a_recursive_type_is_written_by_name() {
    insta::assert_snapshot!(shape_of::<Node>().requirement());
}

#[test]
fn flattened_fields_are_fields() {
    insta::assert_snapshot!(shape_of::<Outer>().requirement());
}

#[test]
fn a_choice_is_requested_with_a_reply() {
    let output = Output::<Mood>::new();
    insta::assert_snapshot!(output.requirement().unwrap().to_string());
}

#[test]
fn a_string_is_requested_as_markdown() {
    let requirement = Output::<String>::new().requirement().unwrap();
    assert_eq!(*requirement.format(), OutputFormat::Markdown);
}

#[test]
fn a_strict_schema_of_a_type_requires_every_key() {
    let schema = Output::<Step>::new().strict_schema(StrictDialect::OpenAi).unwrap();
    let steps = schema.get("properties").unwrap().get("value").unwrap();
    assert!(steps.get("anyOf").is_some(), "a union is inside of an object");
    let schema = Output::<Node>::new().strict_schema(StrictDialect::OpenAi).unwrap();
    insta::assert_snapshot!(schema.to_json());
    let error = Output::<Inner>::new().strict_schema(StrictDialect::OpenAi).unwrap_err();
    assert_eq!(error.place().unwrap().to_string(), "#/properties/counts");
}

#[test]
fn a_shape_reads_the_values_of_its_schema() {
    let shape = Shape::one_of([Shape::integer(), Shape::boolean()]);
    let output = Output::from_shape(shape);
    let parsed = output.parse(r#"{"value": 7, "reply": "It is seven."}"#).unwrap();
    assert_eq!(parsed.value.to_json(), "7");
    assert_eq!(output.parse("true").unwrap().value.to_json(), "true");
}

#[derive(Deserialize, JsonSchema)]
struct Limited {
    /// How urgent it is.
    #[schemars(range(min = 1, max = 9))]
    urgency: u8,
    #[schemars(regex(pattern = r"^[A-Z]{2}\d+$"))]
    code: String,
    #[schemars(length(min = 1, max = 80))]
    title: Option<String>,
    #[schemars(length(min = 2))]
    #[schemars(inner(length(max = 10)))]
    tags: Vec<String>,
    #[schemars(range(max = 1.5))]
    score: f64,
    #[schemars(extend("minProperties" = 1))]
    counts: BTreeMap<String, i64>,
    #[schemars(required)]
    parent: Option<String>,
}

/// What the reader enforces is in the requirement.
#[test]
fn the_requirement_names_all_limits() {
    let requirement = Output::<Limited>::new().requirement().unwrap();
    insta::assert_snapshot!(requirement.in_template());
    let shape = prompty_output::schema!({
        "of the type": Limited,
        list: [(u8, "each day")],
    });
    insta::assert_snapshot!(shape.requirement());
}

#[test]
fn the_requirement_names_the_limits_of_the_outermost_value() {
    let schema = r#"{"type": "array", "minItems": 3, "items": {"type": "string", "maxLength": 9}}"#;
    let schema = prompty_core::value::Value::from_json(schema).unwrap();
    let output = Output::from_schema(schema);
    let requirement = output.requirement().unwrap().in_template();
    assert!(
        requirement.ends_with("[\n  <str>, // at most 9 characters\n  ...\n] // at least 3 items")
    );
    let inline = output.requirement().unwrap().shape().clone().inline().requirement();
    assert_eq!(inline, "<list[str]> // at least 3 items; str: at most 9 characters");
}
