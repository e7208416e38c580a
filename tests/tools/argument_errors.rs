//! The errors for invalid arguments, in cases where serde itself does not report one place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use typed_prompty::tools::{Tool, ToolError, ToolErrorKind, Toolbox, tool};
use typed_prompty::{Error, Value};

use super::{call, text};

/// Finds shapes.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Find {
    name: String,
    #[serde(flatten)]
    page: Page,
    shape: Option<Shape>,
    either: Option<Either>,
    #[serde(default)]
    tree: Vec<Tree>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Page {
    offset: u32,
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(dead_code)]
enum Shape {
    Circle { radius: u8 },
    Line { ends: Vec<Page>, radius: Option<String> },
    Point,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Either {
    Number(u8),
    Named { name: String },
}

/// A recursive type with similar variants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Tree {
    Two { next: Box<Tree>, more: u8 },
    Three { next: Box<Tree>, other: u8 },
    One { next: Box<Tree> },
    Leaf(u8),
}

fn rejection<T: Tool + std::fmt::Debug>(arguments: &str) -> (Option<String>, String) {
    let call = call(T::NAME, arguments);
    let error = T::from_call(&call).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Arguments, "{error}");
    let message = text(&error.to_result(&call)).to_owned();
    let message = message.strip_prefix(&format!(
        "error: the arguments of `{}` do not match its parameters: ",
        T::NAME
    ));
    (error.place().map(str::to_owned), message.unwrap().to_owned())
}

#[test]
fn the_place_is_reported_where_serde_buffers_values() {
    let cases = [
        (
            r#"{"name": "a", "offset": "x"}"#,
            "offset",
            "expected u32, found string \"x\"\nhelp: `offset` must match {\"type\":\"integer\",\"minimum\":0}",
        ),
        (
            r#"{"name": "a", "limit": -1}"#,
            "limit",
            "expected u32, found integer `-1`\nhelp: `limit` must match {\"type\":\"integer\",\"minimum\":0}",
        ),
        (
            r#"{"name": "a", "limit": null, "offset": null}"#,
            "offset",
            "expected u32, found null\nhelp: `offset` must match {\"type\":\"integer\",\"minimum\":0}",
        ),
        (
            r#"{"name": "a", "offset": 1, "shape": {"kind": "circle", "radius": "big"}}"#,
            "shape.radius",
            "expected u8, found string \"big\"\nhelp: `shape.radius` must match \
             {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}",
        ),
        (
            r#"{"name": "a", "offset": 1, "shape": {"kind": "line", "radius": "b", "ends": [{"offset": 1}, {"offset": []}]}}"#,
            "shape.ends[1].offset",
            "expected u32, found an array\nhelp: `shape.ends[1].offset` must match \
             {\"type\":\"integer\",\"minimum\":0}",
        ),
    ];
    for (arguments, place, expected) in cases {
        let (found, message) = rejection::<Find>(arguments);
        assert_eq!(found.as_deref(), Some(place), "{message}");
        assert_eq!(message, format!("at {place}: {expected}"));
    }
}

#[test]
fn all_tags_are_listed_if_none_fits() {
    let (place, message) =
        rejection::<Find>(r#"{"name": "a", "offset": 1, "shape": {"kind": "square"}}"#);
    assert_eq!(place.as_deref(), Some("shape.kind"));
    for name in ["circle", "line", "point"] {
        assert!(
            message.ends_with(']') && message.contains(&format!("\"const\":\"{name}\"")),
            "{message}"
        );
    }
}

/// Draws.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Draw {
    color: String,
    #[serde(flatten)]
    form: Form,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(dead_code)]
enum Form {
    Circle { radius: u8 },
    Point,
}

/// Counts.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Count {
    name: String,
    #[serde(flatten)]
    others: BTreeMap<String, u8>,
}

#[test]
fn the_help_lists_the_arguments_of_a_flattened_field() {
    let (_, message) = rejection::<Draw>(r#"{"color": "red"}"#);
    assert!(message.starts_with("missing field `kind`\nhelp: the tool must match {"), "{message}");
    assert!(message.contains("circle") && message.contains("color"), "{message}");
    let (place, _) = rejection::<Draw>(r#"{"color": "red", "kind": "circle", "radius": 300}"#);
    assert_eq!(place.as_deref(), Some("radius"));
    let (_, message) = rejection::<Count>("{}");
    let expected = "missing field `name`\nhelp: the tool accepts `name`, and any others with \
                    {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}";
    assert_eq!(message, expected);
    let (place, _) = rejection::<Count>(r#"{"name": "a", "x": 1, "y": []}"#);
    assert_eq!(place.as_deref(), Some("y"));
}

#[test]
fn no_place_is_reported_if_the_search_takes_too_long() {
    let deep = format!("{}1{}", r#"{"next": "#.repeat(9), "}".repeat(9));
    let (place, _) =
        rejection::<Find>(&format!(r#"{{"name": "a", "offset": "x", "tree": [{deep}]}}"#));
    assert_eq!(place, None);
}

#[test]
fn a_message_does_not_repeat_long_values() {
    let long = "y".repeat(100_000);
    let (_, message) = rejection::<Find>(&format!(
        r#"{{"name": "a", "offset": 1, "shape": {{"kind": "{long}"}}}}"#
    ));
    assert!(message.len() < 1000, "{}", message.len());
    assert!(message.contains("yyy…`, expected one of `circle`, `line`, `point`"), "{message}");
    let keep = call("strict", &format!(r#"{{"{long}": 1}}"#));
    assert!(StrictArguments::from_call(&keep).err().unwrap().to_string().len() < 1000);
}

/// Takes nothing.
#[tool]
fn strict() {}

#[test]
fn a_duplicate_name_is_reported() {
    let (_, message) = rejection::<Count>(r#"{"name": "a", "name": "b"}"#);
    assert!(message.starts_with("`name` is specified twice"), "{message}");
    assert!(message.ends_with("\nhelp: pass each argument only once"), "{message}");
}

/// Fails.
#[tool]
fn fail(which: u8) -> Result<u8, ToolError> {
    Err(ToolError::failed(format!("unknown number {which}"))
        .with_place("which")
        .with_help("take 3"))
}

/// Reads.
#[tool]
fn read(json: String) -> Result<(), Error> {
    Err(Value::from_json(&json)
        .map_or_else(|error| error, |_| Error::from(ToolError::failed("no")))
        .with_help("write JSON"))
}

#[test]
fn the_error_of_a_tool_keeps_its_place_and_its_help() {
    let toolbox = Toolbox::new().with(FailArguments::answer).with(ReadArguments::answer);
    let failed = toolbox.answer(&call("fail", r#"{"which": 7}"#));
    assert_eq!(text(&failed), "error: at which: unknown number 7\nhelp: take 3");
    let failed = toolbox.answer(&call("read", r#"{"json": "1"}"#));
    assert_eq!(text(&failed), "error: no\nhelp: write JSON");
}

#[test]
fn a_long_name_is_cut_in_messages_and_still_found() {
    let name = "n".repeat(100);
    let (place, message) = rejection::<Count>(&format!(r#"{{"name": "a", "{name}": "x"}}"#));
    assert_eq!(place, Some(format!("{}…", "n".repeat(40))));
    assert!(message.contains(r#"{"type":"integer","minimum":0,"maximum":255}"#), "{message}");
    let (_, message) = rejection::<Table>(&format!(r#"{{"cells": {{"{name}": "x"}}}}"#));
    assert!(message.contains(r#"{"type":"integer","minimum":0,"maximum":255}"#), "{message}");
}

/// Writes a table.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Table {
    cells: BTreeMap<String, u8>,
}

/// Has a schema with a reference to itself.
#[derive(Debug, Tool, Deserialize)]
#[allow(dead_code)]
struct Circle {
    inner: Inner,
}

#[derive(Debug, Deserialize)]
struct Inner(#[allow(dead_code)] u8);

impl JsonSchema for Circle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Circle".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {"inner": {"$ref": "#/$defs/Inner"}},
            "$defs": {"Inner": {"allOf": [{"type": "integer"}, {"$ref": "#/$defs/Inner"}]}},
        })
    }
}

#[test]
fn a_schema_that_refers_to_itself_gives_no_place() {
    let error = Circle::from_call(&call("circle", r#"{"inner": "x"}"#)).unwrap_err();
    assert!(error.to_string().contains("at inner: expected u8"), "{error}");
}

/// Has references with escapes, and a reference with a sibling keyword.
#[derive(Debug, Tool, Deserialize)]
#[allow(dead_code)]
struct Referring {
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Fields {
    escaped: Option<u8>,
    percent: Option<u8>,
    indexed: Option<u8>,
    sibling: Option<u8>,
}

impl JsonSchema for Referring {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Referring".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "escaped": {"$ref": "#/$defs/a~1b"},
                "percent": {"$ref": "#/%24defs/c%20d"},
                "indexed": {"$ref": "#/$defs/list/anyOf/1"},
                "sibling": {"$ref": "#/$defs/any", "type": "integer"},
            },
            "$defs": {
                "a/b": {"type": "integer"},
                "c d": {"type": "integer"},
                "list": {"anyOf": [{}, {"type": "integer"}]},
                "any": {"maximum": 9},
            },
        })
    }
}

#[test]
fn a_place_is_found_through_references_with_escapes() {
    for name in ["escaped", "percent", "indexed"] {
        let (place, message) = rejection::<Referring>(&format!(r#"{{"{name}": "x"}}"#));
        assert_eq!(place.as_deref(), Some(name), "{message}");
        assert!(
            message.ends_with(&format!("`{name}` must match {{\"type\":\"integer\"}}")),
            "{message}"
        );
    }
    let (place, message) = rejection::<Referring>(r#"{"sibling": "x"}"#);
    assert_eq!(place.as_deref(), Some("sibling"), "{message}");
}

#[test]
fn a_fraction_does_not_fit_an_integer_of_rust() {
    // `1.0` has no fraction.
    assert!(Find::from_call(&call(Find::NAME, r#"{"name": "a", "offset": 1.0}"#)).is_ok());
    let (place, message) = rejection::<Find>(r#"{"name": "a", "offset": 1.5}"#);
    assert_eq!(place.as_deref(), Some("offset"), "{message}");
}
