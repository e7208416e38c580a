//! The schemas of answers and tools in the form of each provider.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_core::message::{Message, Strictness, ToolSpec};
use prompty_core::schema::shape::Shape;
use prompty_core::value::{Map, Value};
use prompty_output::tools::{AsyncToolbox, Tool, Toolbox};
use prompty_wire::{Protocol, Request, ResponseFormat};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::PROTOCOLS;

const OPEN_AI: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiCompatible, Protocol::OpenAiResponses];

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Ticket {
    /// How soon.
    #[schemars(range(min = 1, max = 5))]
    urgency: u8,
    #[schemars(length(min = 2, max = 4))]
    tags: Vec<String>,
    #[schemars(length(max = 80), regex(pattern = r"^\S"))]
    title: String,
    due: Option<u32>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Step {
    Wait { seconds: u8 },
    Say { words: String },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Tree {
    children: Vec<Tree>,
}

impl Tool for Ticket {
    const NAME: &'static str = "file";
    const DESCRIPTION: &'static str = "";
}

impl Tool for Step {
    const NAME: &'static str = "step";
    const DESCRIPTION: &'static str = "";
}

impl Tool for Tree {
    const NAME: &'static str = "plant";
    const DESCRIPTION: &'static str = "";
}

fn messages() -> [Message; 1] {
    [Message::user("Go on.")]
}

/// The schema of the answer in a body, and whether it is strict.
fn answer(body: &Value) -> (Value, bool) {
    let at = |path: &[&str]| path.iter().try_fold(body, |value, name| value.get(name));
    let form = at(&["response_format", "json_schema"]).or_else(|| at(&["text", "format"]));
    let format = form.or_else(|| at(&["output_config", "format"])).unwrap();
    let is_strict = format.get("strict").is_none_or(|it| *it == Value::Bool(true));
    (format.get("schema").unwrap().clone(), is_strict)
}

/// The schema of a tool in a body, and its field `strict`.
fn tool(body: &Value, index: usize) -> (Value, Option<bool>) {
    let tool = &body.get("tools").unwrap().as_array().unwrap()[index];
    let tool = tool.get("function").unwrap_or(tool);
    let schema = tool.get("parameters").or_else(|| tool.get("input_schema")).unwrap();
    (schema.clone(), tool.get("strict").and_then(Value::as_bool))
}

#[test]
fn an_answer_has_the_strict_form_of_the_provider() {
    let messages = messages();
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages).with_output::<Ticket>().with_protocol(protocol);
        let (schema, is_strict) = answer(&request.to_value().unwrap());
        assert!(is_strict);
        let name = if protocol == Protocol::AnthropicMessages { "anthropic" } else { "open_ai" };
        let pretty = serde_json::to_string_pretty(&schema).unwrap();
        insta::assert_snapshot!(format!("ticket_{name}"), pretty);
    }
}

/// Some keywords are refused everywhere in a schema.
#[test]
fn no_refused_keyword_is_sent() {
    let messages = messages();
    let refused = |protocol| match protocol {
        Protocol::AnthropicMessages => {
            &["minimum", "maximum", "minLength", "maxLength", "maxItems", "oneOf", "prefixItems"][..]
        }
        _ => &["minLength", "maxLength", "oneOf", "default"][..],
    };
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages).with_protocol(protocol);
        let bodies = [
            request.clone().with_output::<Ticket>(),
            request.clone().with_output::<Vec<Ticket>>(),
            request.clone().with_output::<Step>(),
            request.clone().with_output::<[u8; 3]>(),
            request.clone().with_output::<Option<Ticket>>(),
            request.clone().with_tools([Ticket::tool(), Step::tool()]),
        ];
        for body in bodies {
            let json = body.to_json().unwrap();
            for keyword in refused(protocol) {
                assert!(
                    !json.contains(&format!("\"{keyword}\":")),
                    "{protocol:?} {keyword}: {json}"
                );
            }
        }
    }
}

#[test]
fn a_type_that_may_not_be_an_object_is_wrapped_in_one() {
    let messages = messages();
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages).with_protocol(protocol);
        let shape = Shape::list_of(Shape::text());
        for request in [
            request.clone().with_output::<Vec<u8>>(),
            request.clone().with_output::<Step>(),
            request.clone().with_response_format(&shape),
        ] {
            let (schema, is_strict) = answer(&request.to_value().unwrap());
            assert!(is_strict, "{protocol:?}");
            assert_eq!(schema.get("type").and_then(Value::as_str), Some("object"));
            assert!(schema.get("properties").unwrap().get("value").is_some(), "{protocol:?}");
        }
        let (schema, strict) = tool(&request.with_tools([Step::tool()]).to_value().unwrap(), 0);
        assert_eq!(schema.get("type").and_then(Value::as_str), Some("object"));
        assert_eq!(strict, Some(true), "{protocol:?}");
    }
}

#[test]
fn a_type_without_a_strict_form_is_sent_plain_if_possible() {
    let messages = messages();
    for protocol in OPEN_AI {
        let request = Request::new("m", &messages).with_output::<Vec<BTreeMap<String, u8>>>();
        let (schema, is_strict) = answer(&request.with_protocol(protocol).to_value().unwrap());
        assert!(!is_strict, "{protocol:?}");
        assert_eq!(schema.get("type").and_then(Value::as_str), Some("object"));
    }
    let request = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
    let error = request.clone().with_output::<BTreeMap<String, u8>>().to_json().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the protocol does not support the answer's schema at #: a strict schema must list the keys of each object"
    );
    assert!(error.help().unwrap().contains("output_requirement"), "{:?}", error.help());
    let error = request.with_output::<Tree>().to_json().unwrap_err().to_string();
    assert!(
        error.ends_with("recursive schemas are not allowed in the provider's strict mode"),
        "{error}"
    );
}

#[test]
fn an_answer_of_any_type_is_an_error() {
    let messages = messages();
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages).with_output::<serde_json::Value>();
        let error = request.with_protocol(protocol).to_json().unwrap_err();
        assert!(error.to_string().contains("the schema allows any value"), "{error}");
    }
}

/// Anthropic does not support recursive strict schemas. OpenAI's responses make a tool strict by
/// default.
#[test]
fn a_tool_without_a_strict_form_is_sent_unchanged() {
    let messages = messages();
    let strictness = |protocol, tools: Vec<ToolSpec>| {
        let request = Request::new("m", &messages).with_protocol(protocol).with_tools(tools);
        tool(&request.to_value().unwrap(), 0).1
    };
    let free = || {
        let schema =
            Value::from_json(r#"{"type": "object", "additionalProperties": {"type": "string"}}"#);
        let free = ToolSpec::new("free", schema.unwrap().as_object().unwrap().clone());
        free.with_strictness(Strictness::WherePossible)
    };
    assert_eq!(strictness(Protocol::OpenAiChat, vec![free()]), None);
    assert_eq!(strictness(Protocol::OpenAiResponses, vec![free()]), Some(false));
    assert_eq!(strictness(Protocol::AnthropicMessages, vec![free()]), None);
    assert_eq!(strictness(Protocol::OpenAiChat, vec![Tree::tool()]), Some(true));
    assert_eq!(strictness(Protocol::AnthropicMessages, vec![Tree::tool()]), None);
    let request = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
    let error = request.with_tools([Tree::tool().with_strict()]).to_json().unwrap_err();
    assert!(error.to_string().starts_with("the tool `plant` cannot be strict at #"), "{error}");
}

/// Anthropic refuses more than 20 strict tools, or more than 24 optional keys, in one request.
#[test]
fn tools_are_strict_up_to_the_limits_of_the_provider() {
    let messages = messages();
    let tools = |keys: usize| {
        (0..22).map(move |index| {
            let shape = |key| (format!("key_{key}"), Shape::text().optional());
            let schema = Shape::object((0..keys).map(shape)).closed().to_schema();
            let tool = ToolSpec::new(format!("tool_{index}"), schema.as_object().unwrap().clone());
            tool.with_strictness(Strictness::WherePossible)
        })
    };
    let strict = |protocol, keys| {
        let request = Request::new("m", &messages).with_protocol(protocol).with_tools(tools(keys));
        let body = request.to_value().unwrap();
        (0..22).filter(|index| tool(&body, *index).1 == Some(true)).count()
    };
    assert_eq!(strict(Protocol::AnthropicMessages, 1), 20);
    assert_eq!(strict(Protocol::AnthropicMessages, 5), 4);
    assert_eq!(strict(Protocol::OpenAiChat, 5), 22);
}

#[test]
fn arguments_are_read_with_and_without_the_wrapping_object() {
    let alone = r#"{"kind": "wait", "seconds": 3}"#;
    for arguments in [alone.to_owned(), format!(r#"{{"value": {alone}}}"#)] {
        let call = prompty_core::message::ToolCall::new("1", "step", arguments);
        assert_eq!(Step::from_call(&call).unwrap(), Step::Wait { seconds: 3 });
    }
    let call = prompty_core::message::ToolCall::new("1", "step", r#"{"value": {"kind": "run"}}"#);
    assert!(Step::from_call(&call).unwrap_err().to_string().contains("unknown variant"));
}

#[test]
fn a_toolbox_is_a_list_of_its_tools() {
    let messages = messages();
    let toolbox = Toolbox::new().with(|step: Step| Ok::<_, String>(format!("{step:?}")));
    let waiting = AsyncToolbox::new().with(|step: Step| Ok::<_, String>(format!("{step:?}")));
    let request = Request::new("m", &messages).with_tools(&toolbox);
    assert_eq!(request.tools(), toolbox.tools());
    assert_eq!(Request::new("m", &messages).with_tools(&waiting).tools(), waiting.tools());
}

#[test]
fn serializable_values_may_be_entries_or_provider_tools() {
    let messages = messages();
    let request = Request::new("m", &messages)
        .with_extra("metadata", serde_json::json!({"customer": "c1"}))
        .with_provider_tool(serde_json::json!({"type": "web_search"}));
    let json = request.to_json().unwrap();
    assert!(json.contains(r#""metadata":{"customer":"c1"}"#), "{json}");
    assert!(json.contains(r#""tools":[{"type":"web_search"}]"#), "{json}");
    let odd = BTreeMap::from([((1, 2), 3)]);
    let error = Request::new("m", &messages).with_extra("odd", odd).to_json().unwrap_err();
    assert!(error.to_string().starts_with("the entry `odd` cannot be written as JSON"), "{error}");
}

#[test]
fn a_converted_request_has_the_schema_form_of_its_provider() {
    let messages = messages();
    let body = Request::new("m", &messages).with_output::<Ticket>().to_value().unwrap();
    let request = Request::from_value(Protocol::OpenAiChat, &body).unwrap();
    assert_eq!(answer(&request.to_value().unwrap()), answer(&body));
    let request = request.with_protocol(Protocol::AnthropicMessages);
    let json = answer(&request.to_value().unwrap()).0.to_json();
    assert!(json.contains("Limits: at least 1, at most 5."), "{json}");
    assert!(!json.contains("\"minimum\""), "{json}");
}

/// A type without fields.
#[derive(Debug, Deserialize, JsonSchema)]
struct Now {}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Free {
    values: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Anything(serde_json::Value);

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct NamedValues(BTreeMap<String, serde_json::Value>);

macro_rules! tools {
    ($($name:literal: $tool:ty),*) => {
        $(impl Tool for $tool {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = "";
        })*
    };
}

tools!("now": Now, "free": Free, "anything": Anything, "named": NamedValues);

#[test]
fn a_tool_without_arguments_is_strict() {
    let messages = messages();
    for protocol in PROTOCOLS {
        let mut strict = Now::tool().with_strict();
        strict.name = "strict".to_owned();
        let tools = [Now::tool(), strict];
        let body = Request::new("m", &messages)
            .with_protocol(protocol)
            .with_tools(tools)
            .to_value()
            .unwrap();
        for index in 0..2 {
            let (schema, strict) = tool(&body, index);
            assert_eq!(strict, Some(true), "{protocol:?}");
            let json = schema.to_json();
            assert!(json.starts_with(r#"{"type": "object", "properties": {}"#), "{json}");
            assert!(json.contains(r#""additionalProperties": false"#), "{json}");
        }
    }
}

#[test]
fn free_keys_stay_free() {
    let messages = messages();
    let tools = || [Free::tool(), Anything::tool(), NamedValues::tool()];
    for protocol in PROTOCOLS {
        let body = Request::new("m", &messages).with_protocol(protocol).with_tools(tools());
        let body = body.to_value().unwrap();
        for index in 0..3 {
            let (schema, strict) = tool(&body, index);
            assert_ne!(strict, Some(true), "{protocol:?} {index}");
            let json = schema.to_json();
            assert!(!json.contains(r#""additionalProperties": false"#), "{json}");
            assert!(schema.get("properties").is_some(), "{json}");
        }
    }
}

#[test]
fn the_parameters_of_each_tool_have_properties() {
    let bare = Map::from([("type", "object")]);
    let tools = [ToolSpec::new("a", bare), ToolSpec::new("b", Map::new())];
    let messages = [Message::user("Hi")];
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        let body = Request::new("m", &messages)
            .with_protocol(protocol)
            .with_tools(&tools)
            .to_json()
            .unwrap();
        assert_eq!(body.matches(r#""properties":{}"#).count(), 2, "{body}");
    }
}

/// OpenAI's responses enforce the schema of a tool without `strict`.
#[test]
fn a_tool_that_is_not_strict_stays_so() {
    let messages = messages();
    let bodies = [
        (
            Protocol::OpenAiChat,
            r#"{"type": "function", "function": {"name": "f", "parameters": {}}}"#,
        ),
        (
            Protocol::OpenAiChat,
            r#"{"type": "function", "function": {"name": "f", "parameters": {}, "strict": false}}"#,
        ),
        (Protocol::AnthropicMessages, r#"{"name": "f", "input_schema": {"type": "object"}}"#),
        (
            Protocol::OpenAiResponses,
            r#"{"type": "function", "name": "f", "parameters": {}, "strict": false}"#,
        ),
    ];
    for (protocol, tool) in bodies {
        let mut body = Request::new("m", &messages).with_protocol(protocol).to_value().unwrap();
        let Value::Object(map) = &mut body else { panic!() };
        map.insert("tools", vec![Value::from_json(tool).unwrap()]);
        let request = Request::from_value(protocol, &body).unwrap();
        let json = request.with_protocol(Protocol::OpenAiResponses).to_json().unwrap();
        assert!(json.contains(r#""strict":false"#), "{json}");
    }
    let default = [ToolSpec::new("f", Map::new())];
    let request =
        Request::new("m", &messages).with_protocol(Protocol::OpenAiResponses).with_tools(default);
    assert!(!request.to_json().unwrap().contains("strict"));
}

#[test]
fn a_schema_that_is_not_strict_gets_the_strict_form_of_anthropic() {
    let messages = messages();
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}"#;
    let schema = Value::from_json(schema).unwrap();
    let chat = Request::new("m", &messages)
        .with_response_format(ResponseFormat::schema("a", schema, false));
    let chat = Request::from_value(Protocol::OpenAiChat, &chat.to_value().unwrap()).unwrap();
    let request = chat.clone().with_protocol(Protocol::AnthropicMessages);
    let json = request.to_json().unwrap();
    assert!(json.contains(r#""additionalProperties":false"#), "{json}");
    assert!(!json.contains("minimum"), "{json}");
    // A schema that Anthropic enforces is strict for OpenAI, too.
    let body = request.to_value().unwrap();
    let request = Request::from_value(Protocol::AnthropicMessages, &body).unwrap();
    let body = request.with_protocol(Protocol::OpenAiChat).to_value().unwrap();
    assert!(answer(&body).1);
    let free = Value::from_json(r#"{"type": "object"}"#).unwrap();
    let request =
        Request::new("m", &messages).with_response_format(ResponseFormat::schema("a", free, false));
    let error = request.with_protocol(Protocol::AnthropicMessages).to_json().unwrap_err();
    assert!(error.help().is_some(), "{error}");
}

#[test]
fn an_invalid_schema_name_is_an_error_for_openai() {
    let messages = messages();
    let request = Request::new("m", &messages);
    let request = request.with_response_format(ResponseFormat::schema(
        "bad name!",
        Value::Object(Map::new()),
        false,
    ));
    let error = request.to_json().unwrap_err().to_string();
    assert_eq!(error, "invalid schema name `bad name!`");
}

/// How often the schema of [`CountedType`] was created.
static CREATED: AtomicUsize = AtomicUsize::new(0);

#[derive(Deserialize)]
struct CountedType {}

impl JsonSchema for CountedType {
    fn schema_name() -> Cow<'static, str> {
        "CountedType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        CREATED.fetch_add(1, Ordering::Relaxed);
        json_schema!({"type": "object", "properties": {"count": {"type": "integer"}}})
    }
}

impl Tool for CountedType {
    const NAME: &'static str = "count";
    const DESCRIPTION: &'static str = "";
}

/// Services name the type in each request.
#[test]
fn the_schema_of_a_type_is_created_once() {
    let messages = messages();
    let bodies: Vec<String> = (0..3)
        .map(|_| {
            let request = Request::new("m", &messages).with_tools([CountedType::tool()]);
            request.with_output::<CountedType>().to_json().unwrap()
        })
        .collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    // Once for the answer, and once for the arguments.
    assert_eq!(CREATED.load(Ordering::Relaxed), 2);
}
