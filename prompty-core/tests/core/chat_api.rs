//! Messages and tools in the form of chat APIs, and in their stored forms.

use prompty_core::message::{
    ContentPart, Media, Message, Role, ToolCall, ToolResult, ToolSpec, messages_from_openai,
    tools_from_openai, tools_to_openai,
};
use prompty_core::message::{ProviderPart, Strictness};
use prompty_core::value::{Map, Value};

/// Messages of all roles, with parts of all kinds.
fn conversation() -> Vec<Message> {
    let call = ToolCall::new("c1", "weather", "{\"n\": 12345678901234567890}");
    let mut free_text = ToolCall::new("c2", "query", "SELECT 1");
    free_text.free_text = true;
    let signature = Map::from([("extra_content", Map::from([("signature", "x")]))]);
    let signed_call =
        ToolCall::new("c3", "weather", "{}").with_provider_fields("openai-chat", signature);
    let signed = Map::from([("type", "thinking"), ("signature", "x")]);
    let audio = Media::new("UklGRg==").with_media_type("audio/wav");
    let file = Media::new("https://a.example/b.pdf").with_name("b.pdf");
    vec![
        Message::system("Be brief."),
        Message::new(
            Role::User,
            [
                ContentPart::from("Look:"),
                ContentPart::Image(Media::new("data:image/png;base64,iVBORw==").with_detail("low")),
                ContentPart::Audio(audio),
                ContentPart::File(file),
            ],
        )
        .with_metadata("name", "Ada"),
        Message::new(
            Role::Assistant,
            [
                ContentPart::Reasoning("Hm.".into()),
                ContentPart::Provider(ProviderPart::new("anthropic-messages", signed)),
                ContentPart::from("Well."),
                ContentPart::ToolCall(call),
                ContentPart::ToolCall(free_text),
                ContentPart::ToolCall(signed_call),
            ],
        ),
        Message::new(
            Role::Tool,
            [ContentPart::ToolResult(ToolResult::new("c1", "sunny").with_name("weather"))],
        ),
    ]
}

fn weather() -> ToolSpec {
    let schema =
        Value::from_json(r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#);
    let schema: Map = schema.unwrap().as_object().unwrap().clone();
    ToolSpec::new("weather", schema).with_description("The weather.")
}

#[test]
fn messages_are_read_from_the_form_of_chat_apis() {
    let json = r#"[
        {"role": "user", "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERg==", "filename": "b.pdf"}}
        ]},
        {"role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        ]},
        {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "sunny"}
    ]"#;
    let image = Media::new("https://a.example/b.png").with_detail("low");
    let file = Media::new("data:application/pdf;base64,JVBERg==").with_name("b.pdf");
    let expected = [
        Message::new(
            Role::User,
            [ContentPart::from("Look:"), ContentPart::Image(image), ContentPart::File(file)],
        ),
        Message::new(
            Role::Assistant,
            [
                ContentPart::Reasoning("Hm.".into()),
                ContentPart::ToolCall(ToolCall::new("c1", "weather", "{}")),
            ],
        ),
        Message::from(ToolResult::new("c1", "sunny").with_name("weather")),
    ];
    assert_eq!(messages_from_openai(&Value::from_json(json).unwrap()).unwrap(), expected);
}

#[test]
fn tools_survive_a_round_trip_through_the_form_of_chat_apis() {
    let tools = [weather()];
    assert_eq!(tools_from_openai(&tools_to_openai(&tools)).unwrap(), tools);
    assert!(tools_from_openai(&Value::from("x")).is_err());
}
#[test]
fn stored_values_are_read_back() {
    let messages = conversation();
    let json = serde_json::to_string(&messages).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Message>>(&json).unwrap(), messages);
    for message in &messages {
        assert_eq!(&Message::from_value(&message.to_value()).unwrap(), message);
        let parts = serde_json::to_string(&message.content.to_vec()).unwrap();
        assert_eq!(serde_json::from_str::<Vec<ContentPart>>(&parts).unwrap(), *message.content);
    }
    for strictness in
        [Strictness::Off, Strictness::Never, Strictness::WherePossible, Strictness::On]
    {
        let tool = weather().with_strictness(strictness);
        let json = serde_json::to_string(&tool).unwrap();
        assert_eq!(serde_json::from_str::<ToolSpec>(&json).unwrap(), tool);
    }
}

/// A provider would reject the stored forms because the content, the function or the type is
/// missing.
#[test]
fn stored_forms_have_none_of_the_keys_of_providers() {
    let messages = serde_json::to_value(conversation()).unwrap();
    for message in messages.as_array().unwrap() {
        assert!(message.get("content").is_none() && message.get("tool_calls").is_none());
        for part in message["parts"].as_array().unwrap() {
            assert!(part.get("type").is_none() && part.get("kind").is_some());
        }
    }
    let tool = serde_json::to_value(weather()).unwrap();
    let keys = ["type", "function", "input_schema"];
    assert!(keys.iter().all(|key| tool.get(key).is_none()), "{tool}");
    let call = serde_json::to_value(ToolCall::new("c1", "weather", "{}")).unwrap();
    assert_eq!(call["kind"], "tool_call");
    assert!(call.get("type").is_none() && call.get("function").is_none());
}
