//! The tools of a prompt in requests, and the arguments that the host provides.
#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use prompty_check::definition::{Definition, ToolDefinition};
use prompty_core::error::ErrorKind;
use prompty_core::message::Strictness;
use prompty_core::value::{Map, Value};

fn definition(tools: &str) -> Definition {
    Definition::from_text(format!("---\ntools:\n{tools}\n---\nuser:\nHello")).unwrap()
}

fn tool(tool: &str) -> ToolDefinition {
    definition(tool).tools.remove(0)
}

fn schema(text: &str) -> String {
    Value::Object(tool(text).to_tool().unwrap().parameters).to_json()
}

const ORDERS: &str = "  - name: find_orders
    kind: function
    description: Finds orders
    strict: true
    parameters:
      - {name: text, kind: string, required: true, description: What to find}
      - {name: limit, kind: integer}
      - {name: customer, kind: string, required: true}
      - {name: region, kind: string}
    bindings: {customer: {input: user_id}, region: {input: region}, shop: Bonn}";

#[test]
fn a_function_is_a_tool_without_its_bound_parameters() {
    let found = tool(ORDERS).to_tool().unwrap();
    assert_eq!(found.name, "find_orders");
    assert_eq!(found.description.as_deref(), Some("Finds orders"));
    assert_eq!(found.strict, Strictness::On);
    assert_eq!(
        schema(ORDERS),
        r#"{"type": "object", "properties": {"text": {"type": "string", "description": "What to find"}, "limit": {"type": "integer"}}, "required": ["text"]}"#
    );
}

#[test]
fn a_function_with_only_bound_parameters_has_no_properties() {
    let text = "  - name: now
    kind: function
    parameters: [{name: zone, kind: string, required: true}]
    bindings: {zone: {input: zone}}";
    assert_eq!(schema(text), r#"{"type": "object", "properties": {}}"#);
    assert_eq!(
        schema("  - {name: now, kind: function}"),
        r#"{"type": "object", "properties": {}}"#
    );
}

#[test]
fn kinds_of_parameters_are_types_of_the_schema() {
    let text = "  - name: f
    kind: function
    parameters:
      - {name: a, kind: float, enumValues: [0.5, 1]}
      - {name: b, kind: array, items: {kind: boolean}}
      - {name: c, kind: object, properties: [{name: d, kind: string, required: true}]}
      - {name: e, kind: object}
      - {name: g, kind: color}";
    assert_eq!(
        schema(text),
        r#"{"type": "object", "properties": {"a": {"enum": [0.5, 1]}, "b": {"type": "array", "items": {"type": "boolean"}}, "c": {"type": "object", "properties": {"d": {"type": "string"}}, "required": ["d"]}, "e": {"type": "object"}, "g": {}}}"#
    );
}

#[test]
fn a_tool_of_another_kind_is_an_error_with_help() {
    let tools = format!("{ORDERS}\n  - {{name: files, kind: mcp, serverName: files}}");
    let error = definition(&tools).function_tools().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert_eq!(error.to_string(), "the tool `files` is of the kind `mcp`, not a function");
    assert!(error.help().unwrap().contains("Tool::new"));
    assert_eq!(definition(ORDERS).function_tools().unwrap().len(), 1);
}

#[test]
fn the_host_replaces_bound_parameters_of_the_model() {
    let inputs = Map::from([("user_id", Value::from(7)), ("region", Value::from("North"))]);
    let bound = tool(ORDERS).bind(r#"{"shop": "Rome", "text": "late", "customer": 1}"#, &inputs);
    let all = r#"{"shop":"Bonn","text":"late","customer":7,"region":"North"}"#;
    assert_eq!(bound.unwrap(), all);
}

#[test]
fn the_model_cannot_choose_a_bound_parameter_without_its_input() {
    let inputs = Map::from([("user_id", 7)]);
    let bound = tool(ORDERS).bind(r#"{"text": "late", "region": "South"}"#, &inputs).unwrap();
    assert_eq!(bound, r#"{"text":"late","customer":7,"shop":"Bonn"}"#);
}

#[test]
fn a_required_parameter_without_its_input_is_an_error() {
    let error = tool(ORDERS).bind("{}", &Map::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingInput);
    let expected =
        "missing required input `user_id` for the parameter `customer` of the tool `find_orders`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn empty_arguments_are_an_empty_object() {
    let text = "  - {name: now, kind: function}";
    assert_eq!(tool(text).bind("", &Map::new()).unwrap(), "{}");
    assert_eq!(tool(text).bind(" \n", &Map::new()).unwrap(), "{}");
}

#[test]
fn numbers_of_arguments_are_kept() {
    let json = r#"{"a":12345678901234567890,"b":1.0,"c":-0.5e-7}"#;
    let bound = tool("  - {name: f, kind: function}").bind(json, &Map::new()).unwrap();
    assert_eq!(bound, r#"{"a":12345678901234567890,"b":1.0,"c":-5e-8}"#);
}

#[test]
fn arguments_must_be_an_object() {
    for json in ["[1]", "{\"a\": ", "late", "null"] {
        let error = tool(ORDERS).bind(json, &Map::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conversion, "{json}");
        assert!(error.to_string().starts_with("the arguments of a call to `find_orders` are not"));
    }
}
