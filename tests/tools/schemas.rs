//! The declarations of tools that a model receives.
#![allow(dead_code, reason = "the fields are only declared")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use typed_prompty::Value;
use typed_prompty::tools::Tool;

use super::{SendArguments, Weather};

fn json<T: Tool>() -> String {
    let parameters = serde_json::to_value(Value::Object(T::tool().parameters)).unwrap();
    serde_json::to_string_pretty(&parameters).unwrap()
}

fn compact<T: Tool>() -> String {
    serde_json::to_string(&Value::Object(T::tool().parameters)).unwrap()
}

#[test]
fn a_struct_is_described_by_its_doc_comments() {
    let tool = Weather::tool();
    assert_eq!(tool.name, "weather");
    assert_eq!(tool.description.as_deref(), Some("The weather of the next days in a city."));
    let expected = concat!(
        r#"{"type":"object","properties":{"city":{"type":"string","#,
        r#""description":"The city's name."},"days":{"type":"integer","minimum":0,"maximum":255}},"#,
        r#""required":["city"]}"#
    );
    assert_eq!(compact::<Weather>(), expected);
}

#[test]
fn a_function_is_described_by_its_parameters_and_refuses_others() {
    let tool = SendArguments::tool();
    assert_eq!(tool.name, "send");
    assert_eq!(tool.description.as_deref(), Some("Sends a message."));
    let expected = concat!(
        r#"{"type":"object","properties":{"to":{"type":"string","description":"Who gets it."},"#,
        r#""text":{"type":"string"}},"required":["to","text"],"additionalProperties":false}"#
    );
    assert_eq!(compact::<SendArguments>(), expected);
}

/// Has a field of every type.
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Everything {
    small: i8,
    wide: i128,
    float: f32,
    /// Which unit.
    unit: Option<Unit>,
    kind: Kind,
    /// Where it is.
    place: Option<Place>,
    days: Vec<Option<u8>>,
    by_name: BTreeMap<String, Place>,
    #[serde(default)]
    yes: bool,
    #[serde(default = "five")]
    five: Option<u8>,
    pair: (u8, String),
    tree: Tree,
    shape: Shape,
    either: Option<Either>,
    #[schemars(range(min = 1, max = 9))]
    #[serde(rename = "theCount")]
    count: u16,
    #[serde(flatten)]
    page: Page,
}

fn five() -> Option<u8> {
    Some(5)
}

#[derive(Deserialize, JsonSchema)]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Deserialize, JsonSchema)]
enum Kind {
    /// Above 20 degrees.
    Warm,
    /// All else.
    Cold,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    lat: f64,
    lon: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(u64),
    Text(String),
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    page: Option<u32>,
}

#[test]
fn a_schema_contains_no_rust_types() {
    insta::assert_snapshot!(json::<Everything>());
}

/// Grows.
#[derive(Tool, Deserialize, JsonSchema)]
pub(crate) struct Grow {
    by: Option<Box<Grow>>,
}

#[test]
fn a_recursive_type_has_a_recursive_schema() {
    let expected = r##"{"type":"object","properties":{"by":{"$ref":"#"}}}"##;
    assert_eq!(compact::<Grow>(), expected);
}

/// Returns the time.
#[derive(Tool, Deserialize, JsonSchema)]
struct Now {}

#[test]
fn no_arguments_are_an_object_without_properties() {
    assert_eq!(compact::<Now>(), r#"{"type":"object","properties":{}}"#);
}

/// Finds one.
#[derive(Tool, Deserialize, JsonSchema)]
#[tool(name = "find-it", description = "Finds it.\n\nAnd more.")]
struct Find<T> {
    key: T,
}

#[test]
fn attributes_take_precedence_over_names_and_doc_comments() {
    let tool = Find::<u8>::tool();
    assert_eq!(tool.name, "find-it");
    assert_eq!(tool.description.as_deref(), Some("Finds it.\n\nAnd more."));
    assert!(compact::<Find<String>>().contains(r#""key":{"type":"string"}"#));
}

/// # Finds
///
/// What there is.
#[derive(Tool, Deserialize, JsonSchema)]
struct ToolWithHeadings {
    /// # of pages
    pages: u8,
    /// # Where
    ///
    /// It is looked for there.
    ///   - in a list
    place: Marked,
    title: String,
    anything: serde_json::Value,
    things: Vec<serde_json::Value>,
    more: BTreeMap<String, serde_json::Value>,
}

/// # Marked
#[derive(Deserialize, JsonSchema)]
struct Marked {
    /// #1 of all
    first: u8,
}

#[test]
fn headings_of_doc_comments_become_titles() {
    let properties = ToolWithHeadings::tool().parameters.get("properties").unwrap().clone();
    let description =
        |name: &str| properties.get(name)?.get("description")?.as_str().map(str::to_owned);
    assert_eq!(description("pages").as_deref(), Some("of pages"));
    let place = "Where\n\nIt is looked for there.\n  - in a list";
    assert_eq!(description("place").as_deref(), Some(place));
    assert!(description("title").is_none() && properties.get("title").is_some());
    let first = properties.get("place").unwrap().get("properties").unwrap().get("first").unwrap();
    assert_eq!(first.get("description").and_then(Value::as_str), Some("1 of all"));
    assert_eq!(ToolWithHeadings::DESCRIPTION, "# Finds\n\nWhat there is.");
}

#[test]
fn a_type_that_accepts_any_value_has_an_empty_schema() {
    let schema = compact::<ToolWithHeadings>();
    assert!(schema.contains(r#""anything":{}"#), "{schema}");
    assert!(schema.contains(r#""things":{"type":"array","items":{}}"#), "{schema}");
    assert!(schema.contains(r#""more":{"type":"object","additionalProperties":true}"#), "{schema}");
}
