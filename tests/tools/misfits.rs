//! The errors for arguments that do not fit, in cases in which serde knows no place or too many.

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

/// Holds itself in every way.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Tree {
    Two { next: Box<Tree>, more: u8 },
    Three { next: Box<Tree>, other: u8 },
    One { next: Box<Tree> },
    Leaf(u8),
}

fn refused<T: Tool + std::fmt::Debug>(arguments: &str) -> (Option<String>, String) {
    let call = call(T::NAME, arguments);
    let error = T::from_call(&call).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Arguments, "{error}");
    let said = text(&error.to_result(&call)).to_owned();
    let said = said.strip_prefix(&format!("error: the arguments of `{}` do not fit: ", T::NAME));
    (error.place().map(str::to_owned), said.unwrap().to_owned())
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
        let (found, said) = refused::<Find>(arguments);
        assert_eq!(found.as_deref(), Some(place), "{said}");
        assert_eq!(said, format!("at {place}: {expected}"));
    }
}

#[test]
fn all_tags_are_listed_if_none_fits() {
    let (place, said) =
        refused::<Find>(r#"{"name": "a", "offset": 1, "shape": {"kind": "square"}}"#);
    assert_eq!(place.as_deref(), Some("shape.kind"));
    for name in ["circle", "line", "point"] {
        assert!(said.ends_with(']') && said.contains(&format!("\"const\":\"{name}\"")), "{said}");
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
    let (_, said) = refused::<Draw>(r#"{"color": "red"}"#);
    assert!(said.starts_with("missing field `kind`\nhelp: the tool must match {"), "{said}");
    assert!(said.contains("circle") && said.contains("color"), "{said}");
    let (place, _) = refused::<Draw>(r#"{"color": "red", "kind": "circle", "radius": 300}"#);
    assert_eq!(place.as_deref(), Some("radius"));
    let (_, said) = refused::<Count>("{}");
    let expected = "missing field `name`\nhelp: the tool accepts `name`, and any others with \
                    {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}";
    assert_eq!(said, expected);
    let (place, _) = refused::<Count>(r#"{"name": "a", "x": 1, "y": []}"#);
    assert_eq!(place.as_deref(), Some("y"));
}

#[test]
fn no_place_is_reported_if_the_search_takes_too_long() {
    let deep = format!("{}1{}", r#"{"next": "#.repeat(9), "}".repeat(9));
    let (place, _) =
        refused::<Find>(&format!(r#"{{"name": "a", "offset": "x", "tree": [{deep}]}}"#));
    assert_eq!(place, None);
}

#[test]
fn a_message_does_not_repeat_long_values() {
    let long = "y".repeat(100_000);
    let (_, said) =
        refused::<Find>(&format!(r#"{{"name": "a", "offset": 1, "shape": {{"kind": "{long}"}}}}"#));
    assert!(said.len() < 1000, "{}", said.len());
    assert!(said.contains("yyy…`, expected one of `circle`, `line`, `point`"), "{said}");
    let keep = call("strict", &format!(r#"{{"{long}": 1}}"#));
    assert!(StrictArguments::from_call(&keep).err().unwrap().to_string().len() < 1000);
}

/// Takes nothing.
#[tool]
fn strict() {}

#[test]
fn a_duplicate_name_is_reported() {
    let (_, said) = refused::<Count>(r#"{"name": "a", "name": "b"}"#);
    assert!(said.starts_with("duplicate field `name`"), "{said}");
    assert!(said.ends_with("\nhelp: give each argument once"), "{said}");
}

/// Fails.
#[tool]
fn fail(which: u8) -> Result<u8, ToolError> {
    Err(ToolError::failed(format!("there is no {which}")).with_place("which").with_help("take 3"))
}

/// Reads.
#[tool]
fn read(json: String) -> Result<(), Error> {
    Err(Value::from_json(&json)
        .map_or_else(|error| error, |_| Error::from(ToolError::failed("no")))
        .with_help("write JSON"))
}

#[test]
fn a_tool_s_own_error_keeps_its_place_and_its_help() {
    let toolbox = Toolbox::new().with(FailArguments::answer).with(ReadArguments::answer);
    let failed = toolbox.answer(&call("fail", r#"{"which": 7}"#));
    assert_eq!(text(&failed), "error: at which: there is no 7\nhelp: take 3");
    let failed = toolbox.answer(&call("read", r#"{"json": "1"}"#));
    assert_eq!(text(&failed), "error: no\nhelp: write JSON");
}

#[test]
fn a_long_name_is_cut_in_messages_and_still_found() {
    let name = "n".repeat(100);
    let (place, said) = refused::<Count>(&format!(r#"{{"name": "a", "{name}": "x"}}"#));
    assert_eq!(place, Some(format!("{}…", "n".repeat(40))));
    assert!(said.contains(r#"{"type":"integer","minimum":0,"maximum":255}"#), "{said}");
    let (_, said) = refused::<Table>(&format!(r#"{{"cells": {{"{name}": "x"}}}}"#));
    assert!(said.contains(r#"{"type":"integer","minimum":0,"maximum":255}"#), "{said}");
}

/// Writes a table.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Table {
    cells: BTreeMap<String, u8>,
}

/// Says nothing but itself.
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

/// Has references with escapes, and keywords beside one.
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
    beside: Option<u8>,
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
                "beside": {"$ref": "#/$defs/any", "type": "integer"},
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
        let (place, said) = refused::<Referring>(&format!(r#"{{"{name}": "x"}}"#));
        assert_eq!(place.as_deref(), Some(name), "{said}");
        assert!(said.ends_with(&format!("`{name}` must match {{\"type\":\"integer\"}}")), "{said}");
    }
    let (place, said) = refused::<Referring>(r#"{"beside": "x"}"#);
    assert_eq!(place.as_deref(), Some("beside"), "{said}");
}

#[test]
fn a_fraction_does_not_fit_an_integer_of_rust() {
    // That of `1.0` is none.
    assert!(Find::from_call(&call(Find::NAME, r#"{"name": "a", "offset": 1.0}"#)).is_ok());
    let (place, said) = refused::<Find>(r#"{"name": "a", "offset": 1.5}"#);
    assert_eq!(place.as_deref(), Some("offset"), "{said}");
}
