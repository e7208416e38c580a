//! Bodies of requests that are read, written again, and converted for another provider. Nothing is
//! lost silently.

use std::sync::LazyLock;

use prompty_core::message::{ContentPart, Media, Message, Role, ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_wire::{PromptCache, Protocol, Reasoning, Request, ResponseFormat, WireErrorKind};

use serde_json::Value as Json;

use super::requests::everything;
use super::{PROTOCOLS, conversation};

fn read(protocol: Protocol, body: &str) -> Request<'static> {
    Request::from_value(protocol, &Value::from_json(body).unwrap()).unwrap()
}

fn chat(messages: &str) -> String {
    format!(r#"{{"model":"m","messages":[{messages}]}}"#)
}

fn responses(input: &str) -> String {
    format!(r#"{{"model":"m","input":[{input}]}}"#)
}

fn anthropic(messages: &str) -> String {
    format!(r#"{{"model":"m","messages":[{messages}],"max_tokens":9}}"#)
}

const CACHED: &str = r#""cache_control":{"type":"ephemeral"}"#;

/// Bodies with fields that only their protocol understands: the protocol, the body, a text that
/// other protocols must get, and the names of the fields that they do not get.
fn bodies() -> Vec<(Protocol, String, &'static str, &'static [&'static str])> {
    let chat_call = r#"{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"now","arguments":"{}"},"served_by":"x"}]},{"role":"tool","content":"12:30","tool_call_id":"c1"}"#;
    let call = r#"{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c1","name":"now","arguments":"{}","served_by":"x"},{"type":"function_call_output","call_id":"c1","output":"12:30"}"#;
    let tool_use = r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"now","input":{},"served_by":"x"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"12:30"}],"cache_control":{"type":"ephemeral"}},{"type":"text","text":"Go on."}]}"#;
    vec![
        (
            Protocol::OpenAiChat,
            chat(&format!(
                r#"{{"role":"user","content":[{{"type":"text","text":"A cat?",{CACHED}}},{{"type":"text","text":"Say."}}]}}"#
            )),
            "A cat?",
            &["cache_control"],
        ),
        (
            Protocol::OpenAiChat,
            chat(
                r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/cat.png","format":"png"}}]}"#,
            ),
            "https://a.example/cat.png",
            &["format"],
        ),
        (
            Protocol::OpenAiChat,
            chat(r#"{"role":"assistant","content":"Hello.","weight":0,"audio":{"id":"a1"}}"#),
            "Hello.",
            &["audio", "weight"],
        ),
        (Protocol::OpenAiChat, chat(chat_call), "12:30", &["served_by"]),
        (
            Protocol::OpenAiResponses,
            responses(
                r#"{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"output_text","text":"Look.","annotations":[{"type":"url_citation"}]}]}"#,
            ),
            "Look.",
            &["annotations"],
        ),
        (
            Protocol::OpenAiResponses,
            responses(r#"{"role":"user","content":"Hi","author":"Ada"}"#),
            "Hi",
            &["author"],
        ),
        (Protocol::OpenAiResponses, responses(call), "12:30", &["served_by"]),
        (
            Protocol::AnthropicMessages,
            anthropic(&format!(
                r#"{{"role":"user","content":[{{"type":"text","text":"A cat?",{CACHED}}},{{"type":"text","text":"Say."}}]}}"#
            )),
            "A cat?",
            &["cache_control"],
        ),
        (
            Protocol::AnthropicMessages,
            anthropic(
                r#"{"role":"assistant","content":[{"type":"text","text":"Look.","citations":[{"type":"char_location"}]}]}"#,
            ),
            "Look.",
            &["citations"],
        ),
        (
            Protocol::AnthropicMessages,
            anthropic(
                r#"{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="},"citations":{"enabled":true}}]}"#,
            ),
            "JVBERg==",
            &["citations"],
        ),
        (
            Protocol::AnthropicMessages,
            anthropic(tool_use),
            "12:30",
            &["cache_control", "served_by"],
        ),
    ]
}

#[test]
fn protocol_specific_fields_are_written_unchanged_in_their_protocol() {
    for (protocol, body, ..) in bodies() {
        assert_eq!(read(protocol, &body).to_json().unwrap(), body);
        assert_eq!(read(protocol, &body).left_out(), Vec::<&str>::new());
    }
}

#[test]
fn other_protocols_get_the_common_fields_and_the_rest_is_listed() {
    for (from, body, expected, names) in bodies() {
        for to in PROTOCOLS {
            let is_chat = |it| matches!(it, Protocol::OpenAiChat | Protocol::OpenAiCompatible);
            if from == to || is_chat(from) && is_chat(to) {
                continue;
            }
            let request = read(from, &body).with_protocol(to);
            let json = request.to_json().unwrap();
            assert!(json.contains(expected), "{from:?} to {to:?}: {json}");
            assert_eq!(request.left_out(), names, "{from:?} to {to:?}");
        }
    }
}

/// Metadata of a message may come from anywhere. Only metadata from a body is written into a body.
#[test]
fn metadata_from_a_body_is_not_written_for_copied_messages() {
    let messages =
        read(Protocol::OpenAiChat, &chat(r#"{"role":"user","content":"Hi","weight":0}"#));
    let messages = messages.messages().to_vec();
    assert!(!Request::new("m", &messages).to_json().unwrap().contains("weight"));
}

/// The older form of calls and their results, without ids.
#[test]
fn functions_are_read_as_tools() {
    let body = r#"{"model":"m","messages":[
        {"role":"user","content":"What time is it?"},
        {"role":"assistant","content":null,"function_call":{"name":"now","arguments":"{}"}},
        {"role":"function","name":"now","content":"12:30"}],
        "functions":[{"name":"now","parameters":{"type":"object","properties":{}}}],"function_call":{"name":"now"}}"#;
    let request = read(Protocol::OpenAiChat, body);
    for protocol in PROTOCOLS {
        let json = request.clone().with_protocol(protocol).to_json().unwrap();
        assert!(json.contains("call_1") && json.contains("12:30"), "{json}");
        assert!(json.contains("tools") && json.contains("tool_choice"), "{json}");
        assert!(!json.contains("\"functions\"") && !json.contains("\"function_call\":{"), "{json}");
    }
}

#[test]
fn a_schema_keeps_its_description() {
    let schema =
        r#""name":"animal","description":"One animal.","strict":true,"schema":{"type":"object"}"#;
    let format =
        format!(r#""response_format":{{"type":"json_schema","json_schema":{{{schema}}}}}"#);
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"Hi"}}],{format}}}"#);
    let request = read(Protocol::OpenAiChat, &body);
    assert_eq!(request.to_json().unwrap(), body);
    let json = request.clone().with_protocol(Protocol::OpenAiResponses).to_json().unwrap();
    assert!(json.contains(r#""description":"One animal.""#), "{json}");
    let request = request.with_protocol(Protocol::AnthropicMessages);
    assert_eq!(request.left_out(), ["output.description"]);
}

/// A response format that is newer than this library.
#[test]
fn an_unknown_response_format_is_written_in_its_protocol() {
    let bodies = [
        (
            Protocol::OpenAiChat,
            r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"grammar","grammar":"x"}}"#,
            "response_format",
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"model":"m","input":[{"role":"user","content":"Hi"}],"text":{"format":{"type":"grammar"},"verbosity":"low"}}"#,
            "text",
        ),
        (
            Protocol::AnthropicMessages,
            r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"max_tokens":9,"output_config":{"format":{"type":"grammar"},"effort":"low"}}"#,
            "output_config",
        ),
    ];
    for (protocol, body, name) in bodies {
        let request = read(protocol, body);
        assert_eq!(request.to_json().unwrap(), body);
        let other = match protocol {
            Protocol::OpenAiChat => Protocol::OpenAiResponses,
            _ => Protocol::OpenAiChat,
        };
        assert_eq!(request.with_protocol(other).left_out(), [name]);
    }
}

#[test]
fn a_message_with_a_field_that_anthropic_refuses_is_an_error() {
    let body = anthropic(r#"{"role":"user","content":"Hi","weight":0}"#);
    let error = Request::from_value(Protocol::AnthropicMessages, &Value::from_json(&body).unwrap());
    assert!(error.unwrap_err().to_string().contains("`weight`"));
}

type Setter = fn(Request<'static>) -> Request<'static>;

fn set(request: Request<'static>, name: &str, value: impl Into<Value>) -> Request<'static> {
    let mut options = request.options().clone();
    options.set(name, value);
    request.with_options(options)
}

/// All settings of a request, one at a time, with the name in `left_out`.
const SETTINGS: &[(&str, Setter)] = &[
    ("temperature", |it| it.with_temperature(0.5)),
    ("maxOutputTokens", |it| it.with_max_output_tokens(9)),
    ("topP", |it| set(it, "topP", 0.5)),
    ("topK", |it| set(it, "topK", 40)),
    ("frequencyPenalty", |it| set(it, "frequencyPenalty", 0.5)),
    ("presencePenalty", |it| set(it, "presencePenalty", 0.5)),
    ("seed", |it| set(it, "seed", 7)),
    ("stopSequences", |it| set(it, "stopSequences", vec![Value::from("END")])),
    ("allowMultipleToolCalls", |it| set(it, "allowMultipleToolCalls", false)),
    ("toolChoice", |it| it.with_tool_choice(ToolChoice::None)),
    ("reasoning", |it| it.with_reasoning(Reasoning::on())),
    ("reasoning", |it| it.with_reasoning(Reasoning::off())),
    ("reasoning.effort", |it| it.with_reasoning(Reasoning::effort("low"))),
    ("reasoning.budget", |it| it.with_reasoning(Reasoning::budget(9))),
    ("reasoning.summary", |it| it.with_reasoning(Reasoning::default().with_summary("auto"))),
    ("promptCache.key", |it| it.with_prompt_cache(PromptCache::new().with_key("k"))),
    ("promptCache.time", |it| it.with_prompt_cache(PromptCache::new().with_time("1h"))),
    ("output", |it| {
        it.with_response_format(ResponseFormat::schema(
            "animal",
            Map::from([("type", "object")]).into(),
            true,
        ))
    }),
    ("streaming", Request::with_streaming),
    ("extra", |it| it.with_extra("service_tier", "flex")),
    ("stream_options", |it| it.with_extra("stream_options", Map::new())),
];

/// Each setting is in the body, or its name is listed, or it is an error.
#[test]
fn each_setting_is_written_or_listed() {
    static MESSAGES: LazyLock<[Message; 1]> = LazyLock::new(|| [Message::user("Hi")]);
    for protocol in PROTOCOLS {
        for tools in [vec![], vec![ToolSpec::new("now", Map::new())]] {
            let plain = || Request::new("m", &*MESSAGES).with_protocol(protocol).with_tools(&tools);
            let expected = plain().to_value().unwrap();
            for (name, set) in SETTINGS {
                let request = set(plain());
                // In Anthropic's protocol, a key also turns on the cache.
                let expected = match *name {
                    "promptCache.key" if protocol == Protocol::AnthropicMessages => {
                        plain().with_prompt_cache(PromptCache::new()).to_value().unwrap()
                    }
                    _ => expected.clone(),
                };
                let Ok(body) = request.to_value() else { continue };
                let is_listed = request.left_out() == [*name];
                assert_eq!(
                    is_listed,
                    body == expected,
                    "{protocol:?} {name} {} tools",
                    tools.len()
                );
                assert!(is_listed || request.left_out().is_empty(), "{protocol:?} {name}");
            }
        }
    }
}

/// The arguments must stay unchanged: `1.0` and `1` are different texts.
#[test]
fn arguments_keep_the_form_of_their_numbers() {
    let body = anthropic(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1.0,"b":12345678901234567890123}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}"#,
    );
    assert_eq!(read(Protocol::AnthropicMessages, &body).to_json().unwrap(), body);
}

#[test]
fn only_an_object_is_a_cache_control() {
    for wrong in [Value::from("x"), Value::Null, Value::from(true)] {
        let messages = [Message::user("Hi").with_metadata("cache_control", wrong)];
        let request = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
        assert!(!request.to_json().unwrap().contains("cache_control"));
    }
}

/// The provider compares the type of a document literally.
#[test]
fn the_type_of_a_pdf_is_normalized() {
    let media = Media::from_bytes(b"%PDF", "Application/PDF; version=1");
    let messages = [Message::new(Role::User, ContentPart::File(media))];
    let request = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
    assert!(request.to_json().unwrap().contains(r#""media_type":"application/pdf""#));
}

/// The JSON pointers of all objects in a value.
fn object_pointers(value: &Json, place: &str, found: &mut Vec<String>) {
    match value {
        Json::Object(map) => {
            found.push(place.to_owned());
            map.iter().for_each(|(name, value)| {
                object_pointers(value, &format!("{place}/{name}"), found);
            });
        }
        Json::Array(list) => {
            let items = list.iter().enumerate();
            items.for_each(|(index, value)| {
                object_pointers(value, &format!("{place}/{index}"), found);
            });
        }
        _ => {}
    }
}

/// A provider adds a field anywhere in its protocol, and the library does not know it.
#[test]
fn an_unknown_field_is_written_or_listed_or_an_error() {
    let messages = conversation();
    for from in PROTOCOLS {
        let body = everything(&messages).with_protocol(from).to_json().unwrap();
        let body: Json = serde_json::from_str(&body).unwrap();
        let mut places = Vec::new();
        object_pointers(&body, "", &mut places);
        for place in &places {
            let mut body = body.clone();
            body.pointer_mut(place).unwrap()["new_field"] = "x".into();
            let body = Value::from_json(&body.to_string()).unwrap();
            let Ok(request) = Request::from_value(from, &body) else { continue };
            for to in PROTOCOLS {
                let request = request.clone().with_protocol(to);
                let Ok(json) = request.to_json() else { continue };
                // The field itself, or the complete option that contains it.
                let option = place.split('/').nth(1).unwrap_or_default();
                let is_listed =
                    request.left_out().iter().any(|it| [option, "new_field"].contains(it));
                let is_written = json.contains("new_field");
                // The strict form of a schema has only keywords that all providers know.
                let schemas = ["parameters", "input_schema", "/schema"];
                let is_schema = schemas.iter().any(|it| place.contains(it));
                assert!(
                    is_written || from != to && (is_listed || is_schema),
                    "{from:?} {to:?} {place}"
                );
            }
        }
    }
}

/// Clients of Anthropic mark the last tool with a cache control.
#[test]
fn a_tool_with_unknown_fields_is_a_function_elsewhere() {
    let tool = r#"{"name":"now","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}"#;
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"text","text":"Hi"}}]}}],"max_tokens":9,"tools":[{tool}]}}"#
    );
    let request = read(Protocol::AnthropicMessages, &body);
    assert_eq!(request.to_json().unwrap(), body);
    let request = request.with_protocol(Protocol::OpenAiChat);
    assert!(request.to_json().unwrap().contains(r#""function":{"name":"now""#));
    assert_eq!(request.left_out(), ["cache_control"]);
}

/// Calls and results without ids, with and without unknown fields.
#[test]
fn a_written_body_is_read_and_written_the_same() {
    let messages = |call: &str, result: &str| {
        format!(
            r#"{{"model": "m", "messages": [
                {{"role": "assistant", "content": [{{"type": "tool_use"{call}}}]}},
                {{"role": "user", "content": [{{"type": "tool_result"{result}}}]}}]}}"#
        )
    };
    let input = |call: &str, result: &str| {
        format!(
            r#"{{"model": "m", "input": [{{"type": "function_call"{call}}},
                {{"type": "function_call_output"{result}}}]}}"#
        )
    };
    let chat = |call: &str, result: &str| {
        format!(
            r#"{{"model": "m", "messages": [
                {{"role": "assistant", "tool_calls": [{{"type": "function"{call}}}]}},
                {{"role": "tool"{result}}}]}}"#
        )
    };
    for call in
        ["", r#", "x": 1"#, r#", "": """#, r#", "name": "f""#, r#", "id": "", "call_id": """#]
    {
        for result in ["", r#", "": """#, r#", "x": 1"#, r#", "content": """#, r#", "output": """#]
        {
            let bodies = [messages(call, result), input(call, result), chat(call, result)];
            for (protocol, body) in PROTOCOLS.iter().flat_map(|it| bodies.iter().map(|b| (*it, b)))
            {
                let body = Value::from_json(body).unwrap();
                let request = match Request::from_value(protocol, &body) {
                    Ok(request) => request,
                    Err(error) => {
                        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{body}: {error}");
                        continue;
                    }
                };
                for other in PROTOCOLS {
                    let json = match request.clone().with_protocol(other).to_json() {
                        Ok(json) => json,
                        Err(error) => {
                            assert_eq!(error.kind(), WireErrorKind::Unsupported, "{body}: {error}");
                            continue;
                        }
                    };
                    let written = Value::from_json(&json).unwrap();
                    let again = Request::from_value(other, &written)
                        .and_then(|request| request.to_json())
                        .unwrap_or_else(|error| panic!("{body} as {json}: {error}"));
                    assert_eq!(again, json, "{body}");
                }
            }
        }
    }
}

/// A call or a result without an id gets one, so its own JSON cannot be written.
#[test]
fn unknown_fields_of_calls_and_results_without_ids_are_listed_in_every_protocol() {
    let call = r#"{"type":"function_call","name":"f","arguments":"{}","x":1}"#;
    let result = r#"{"type":"function_call_output","output":"a","y":1}"#;
    let use_block = r#"{"type":"tool_use","name":"f","input":{},"x":1}"#;
    let result_block = r#"{"type":"tool_result","content":"a","y":1}"#;
    for (protocol, body, expected) in [
        (Protocol::OpenAiResponses, responses(&format!("{call},{result}")), &["x", "y"][..]),
        (
            Protocol::AnthropicMessages,
            anthropic(&format!(
                r#"{{"role":"assistant","content":[{use_block}]}},{{"role":"user","content":[{result_block}]}}"#
            )),
            &["x", "y"],
        ),
        (
            Protocol::OpenAiChat,
            chat(
                r#"{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"x":1}]}"#,
            ),
            &["x"],
        ),
    ] {
        for other in PROTOCOLS {
            let request = read(protocol, &body).with_protocol(other);
            assert_eq!(request.left_out(), expected, "{body} as {other:?}");
            assert!(!request.to_json().unwrap().contains(r#""x":1"#));
        }
    }
}

#[test]
fn a_part_of_a_message_in_the_place_of_an_item_is_an_error() {
    for kind in ["input_text", "input_image", "output_text", "refusal"] {
        let body = format!(r#"{{"model": "m", "input": [{{"type": "{kind}", "text": "a"}}]}}"#);
        let body = Value::from_json(&body).unwrap();
        let error = Request::from_value(Protocol::OpenAiResponses, &body).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable);
        assert!(error.to_string().contains("is a part of a message, not an item"), "{error}");
    }
}
