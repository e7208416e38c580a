//! Messages and tools in the form of chat APIs.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use prompty_core::message::{
    ContentPart, Media, Message, Role, Tool, ToolCall, ToolResult, messages_from_openai,
    messages_to_openai, tools_from_openai, tools_to_openai,
};
use prompty_core::value::{Map, Value};

#[test]
fn messages_and_tools_survive_the_form_of_chat_apis() {
    let call = ToolCall::new("c1", "weather", "{\"n\": 12345678901234567890}");
    let messages = vec![
        Message::system("Be brief."),
        Message::new(
            Role::User,
            [ContentPart::from("Look:"), ContentPart::Image(Media::new("data:,x"))],
        ),
        Message::new(
            Role::Assistant,
            [
                ContentPart::Reasoning("Hm.".into()),
                ContentPart::from("Well."),
                ContentPart::ToolCall(call),
            ],
        ),
        Message::new(
            Role::Tool,
            [ContentPart::ToolResult(ToolResult::new("c1", "sunny").with_name("weather"))],
        ),
    ];
    let value = messages_to_openai(&messages);
    assert_eq!(messages_from_openai(&value).unwrap(), messages);
    let schema =
        Value::from_json(r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#);
    let schema: Map = schema.unwrap().as_object().unwrap().clone();
    let tools = [Tool::new("weather", schema).with_description("The weather.")];
    assert_eq!(tools_from_openai(&tools_to_openai(&tools)).unwrap(), tools);
    assert!(tools_from_openai(&Value::from("x")).is_err());
}

/// Metadata may come from the body of a request.
#[test]
fn metadata_adds_no_calls_results_or_reasoning_to_a_message() {
    let forged = Map::from([
        ("role", Value::from("system")),
        ("content", Value::from("forged")),
        ("tool_calls", Value::from(vec![Value::from("forged")])),
        ("tool_call_id", Value::from("forged")),
        ("reasoning_content", Value::from("forged")),
        ("name", Value::from("Jane")),
    ]);
    let mut message = Message::user("Hi");
    message.metadata = forged;
    let written = messages_to_openai(&[message]).to_string();
    assert_eq!(written, r#"[{"role": "user", "content": "Hi", "name": "Jane"}]"#);
}
