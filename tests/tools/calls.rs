//! Calls become values. The model receives an error for invalid calls.

use schemars::JsonSchema;
use serde::Deserialize;
use typed_prompty::tools::{Call, Tool, ToolError, ToolErrorKind, ToolSet};
use typed_prompty::{Error, ErrorKind};

use super::{Action, SendArguments, Weather, call, text};

#[test]
fn a_call_becomes_the_variant_of_its_name() {
    let weather = Action::from_call(&call("weather", r#"{"city": "Bonn", "days": 3}"#)).unwrap();
    assert_eq!(weather, Action::Weather(Weather { city: "Bonn".into(), days: Some(3) }));
    let send = Action::from_call(&call("send", r#"{"to": "a", "text": "b"}"#)).unwrap();
    assert_eq!(send, Action::Send(SendArguments { to: "a".into(), text: "b".into() }));
    let names: Vec<String> = Action::tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, Action::NAMES);
}

#[test]
fn an_unknown_tool_is_an_error_that_lists_the_tools() {
    let error = Action::from_call(&call("wether", "{}")).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::UnknownTool);
    let result = error.to_result(&call("wether", "{}"));
    assert_eq!(
        text(&result),
        "error: unknown tool `wether`\nhelp: available tools: `weather`, `send`"
    );
    assert_eq!((result.call_id.as_str(), result.name.as_str()), ("call_1", "wether"));
}

/// Orders things.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Order {
    items: Vec<Item>,
    note: Option<String>,
    #[serde(default)]
    pair: (u8, i64),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Item {
    name: String,
    size: Size,
    count: Option<u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Size {
    Small,
    Large,
}

fn rejection(arguments: &str) -> (ToolError, String) {
    let call = call("order", arguments);
    let error = Order::from_call(&call).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Arguments, "{error}");
    let result = error.to_result(&call);
    let message = text(&result).to_owned();
    (error, message)
}

#[test]
fn invalid_arguments_are_an_error_with_the_place_and_the_expected_type() {
    let cases = [
        (
            r#"{"items": [{"name": "a", "size": "Large"}, {"name": 7, "size": "Small"}]}"#,
            Some("items[1].name"),
            "error: the arguments of `order` do not match its parameters: \
             at items[1].name: expected a string, \
             found integer `7`\nhelp: `items[1].name` must match {\"type\":\"string\"}",
        ),
        (
            r#"{"items": [{"name": "a", "size": "Huge"}]}"#,
            Some("items[0].size"),
            "error: the arguments of `order` do not match its parameters: \
             at items[0].size: unknown variant `Huge`, \
             expected `Small` or `Large`\nhelp: `items[0].size` must match \
             {\"type\":\"string\",\"enum\":[\"Small\",\"Large\"]}",
        ),
        (
            r#"{"items": [{"name": "a"}]}"#,
            Some("items[0]"),
            "error: the arguments of `order` do not match its parameters: \
             at items[0]: missing field `size`\nhelp: \
             `items[0]` accepts `name`, `size`, and optionally `count`",
        ),
        (
            r#"{"items": [{"name": "a", "size": "Small", "count": 300}]}"#,
            Some("items[0].count"),
            "error: the arguments of `order` do not match its parameters: \
             at items[0].count: expected u8, found \
             integer `300`\nhelp: `items[0].count` must match \
             {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}",
        ),
        (
            r#"{"note": "x"}"#,
            None,
            "error: the arguments of `order` do not match its parameters: \
             missing field `items`\nhelp: the tool accepts \
             `items`, and optionally `note`, `pair`",
        ),
        (
            r#"{"items": [], "pair": [1, "x"]}"#,
            Some("pair[1]"),
            "error: the arguments of `order` do not match its parameters: \
             at pair[1]: expected i64, found string \
             \"x\"\nhelp: `pair[1]` must match {\"type\":\"integer\"}",
        ),
    ];
    for (arguments, place, expected) in cases {
        let (error, message) = rejection(arguments);
        assert_eq!(message, expected);
        assert_eq!(error.place(), place);
    }
}

#[test]
fn an_unknown_argument_is_reported_if_the_type_denies_it() {
    let (error, message) = rejection(r#"{"items": [{"name": "a", "size": "Small", "cuont": 3}]}"#);
    assert!(
        message.contains("unknown field `cuont`, expected one of `name`, `size`, `count`"),
        "{message}"
    );
    assert!(error.place().unwrap().starts_with("items[0]"), "{error:?}");
    assert!(Order::from_call(&call("order", r#"{"items": [], "more": 1}"#)).is_ok());
}

#[test]
fn arguments_that_are_not_an_object_are_an_error() {
    for arguments in ["{", "[]", "null", "\"{}\"", "{\"items\": []} x", "{'items': []}"] {
        let (error, message) = rejection(arguments);
        assert!(error.help().is_some(), "{message}");
    }
    let (_, message) = rejection("[[]]");
    let expected = "error: expected a JSON object as arguments of `order`, found array\nhelp: give \
                    the arguments by name: {\"name\": value}";
    assert_eq!(message, expected);
    let (_, message) = rejection(r#"{"items": [], "items": []}"#);
    assert!(message.contains("`items` is specified twice"), "{message}");
    assert!(rejection(&"[".repeat(100_000)).1.len() < 300);
    assert!(rejection(&"{\"a\":".repeat(100_000)).1.len() < 300);
}

/// Adds.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Add {
    small: i64,
    large: u64,
    huge: i128,
    part: f64,
}

#[test]
fn numbers_keep_all_their_digits() {
    let arguments = concat!(
        r#"{"small": -9223372036854775808, "large": 18446744073709551615, "#,
        r#""huge": 170141183460469231731687303715884105727, "part": 0.1}"#
    );
    let add = Add::from_call(&call("add", arguments)).unwrap();
    assert_eq!((add.small, add.large, add.huge), (i64::MIN, u64::MAX, i128::MAX));
    assert_eq!(add.part.to_bits(), 0.1_f64.to_bits());
    let sent = call("add", "{}").answer(&(add.small, add.large, add.huge, add.part)).unwrap();
    let expected = "[-9223372036854775808,18446744073709551615,\
                    170141183460469231731687303715884105727,0.1]";
    assert_eq!(text(&sent), expected);
}

/// Returns the time.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Now {}

#[test]
fn a_call_without_arguments_may_have_an_empty_string() {
    for arguments in ["", " \n", "{}"] {
        assert!(Now::from_call(&call("now", arguments)).is_ok());
    }
    assert_eq!(
        Now::from_call(&call("later", "{}")).unwrap_err().kind(),
        ToolErrorKind::UnknownTool
    );
}

#[test]
fn a_string_is_answered_unchanged_and_other_values_as_json() {
    let call = call("now", "{}");
    assert_eq!(text(&call.answer("a \"b\"\n").unwrap()), "a \"b\"\n");
    assert_eq!(text(&call.answer(&Some(3)).unwrap()), "3");
    assert_eq!(text(&call.answer(&()).unwrap()), "null");
    assert_eq!(text(&call.answer(&serde_json::json!({"a": ["b"]})).unwrap()), r#"{"a":["b"]}"#);
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert_eq!(call.answer(&keys).unwrap_err().kind(), ToolErrorKind::Failed);
}

#[test]
fn a_tool_error_converts_into_an_error_of_the_crate() {
    let (error, _) = rejection(r#"{"items": 1}"#);
    let help = error.help().unwrap().to_owned();
    let converted = Error::from(error);
    assert_eq!(converted.kind(), ErrorKind::Conversion);
    assert_eq!(converted.help(), Some(help.as_str()));
    assert_eq!(Error::from(ToolError::failed("full")).kind(), ErrorKind::Tool);
}

#[derive(Debug, typed_prompty::tools::ToolSet)]
enum Boxed {
    Now(Now),
    Order(Box<Order>),
}

#[test]
fn a_large_tool_may_be_boxed() {
    assert_eq!(Boxed::NAMES, ["now", "order"]);
    let tools = Boxed::tools();
    assert_eq!(tools[1], Order::tool());
    match Boxed::from_call(&call("order", r#"{"items": [], "note": "a"}"#)).unwrap() {
        Boxed::Order(order) => assert_eq!(order.note.as_deref(), Some("a")),
        Boxed::Now(now) => panic!("{now:?}"),
    }
    let error = Boxed::from_call(&call("order", r#"{"items": 1}"#)).unwrap_err();
    assert_eq!(error.place(), Some("items"));
}
