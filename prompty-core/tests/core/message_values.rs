//! Messages are read from all forms of conversations, and written in the form of the specification.

use prompty_core::ErrorKind;
use prompty_core::message::{
    ContentPart, Media, Message, Role, ToolCall, ToolResult, thread_from_value,
};
use prompty_core::value::{Map, Value};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn read(text: &str) -> Message {
    Message::from_value(&json(text)).unwrap()
}

fn error_of(text: &str) -> String {
    let error = Message::from_value(&json(text)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongInput);
    assert!(error.help().is_some_and(|help| help.contains("{role, content}")));
    error.to_string()
}

/// A message with parts of all kinds.
fn message_with_all_parts() -> Message {
    let result = ContentPart::ToolResult(ToolResult::new("c1", "sunny"));
    let parts = vec![
        ContentPart::Text("look".to_owned()),
        ContentPart::Image(Media::new("https://x/cat.png").with_detail("low")),
        ContentPart::File(Media::new("data:,x").with_media_type("text/plain")),
        ContentPart::Audio(Media::new("UklG").with_media_type("audio/wav")),
        ContentPart::ToolCall(ToolCall::new("c1", "weather", "{\"city\": \"Bern\"}")),
        result,
    ];
    Message::new(Role::Assistant, parts).with_metadata("id", 7)
}

#[test]
fn the_form_of_the_specification_is_written() {
    let expected = json(
        r#"{"role": "assistant", "content": [
            {"kind": "text", "value": "look"},
            {"kind": "image", "value": "https://x/cat.png", "detail": "low"},
            {"kind": "file", "value": "data:,x", "mediaType": "text/plain"},
            {"kind": "audio", "value": "UklG", "mediaType": "audio/wav"},
            {"kind": "tool_call", "id": "c1", "name": "weather", "arguments": "{\"city\": \"Bern\"}"},
            {"kind": "tool_result", "callId": "c1", "content": [{"kind": "text", "value": "sunny"}]}
        ], "metadata": {"id": 7}}"#,
    );
    assert_eq!(message_with_all_parts().to_value().to_string(), expected.to_string());
}

#[test]
fn a_written_message_is_read_back() {
    let message = message_with_all_parts();
    assert_eq!(Message::from_value(&message.to_value()).unwrap(), message);
    let text = serde_json::to_string(&message).unwrap();
    assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
}

#[test]
fn a_string_is_a_single_part() {
    assert_eq!(read(r#"{"role": "user", "content": "Hi"}"#), Message::user("Hi"));
    assert_eq!(read(r#"{"role": "user", "content": ["a", "b"]}"#).text(), "ab");
}

#[test]
fn parts_are_read_like_content() {
    let message = read(r#"{"role": "user", "parts": [{"kind": "text", "value": "Hi"}]}"#);
    assert_eq!(message, Message::user("Hi"));
}

#[test]
fn parts_of_a_chat_api_are_read() {
    let message = read(
        r#"{"role": "user", "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "https://x/cat.png", "detail": "high"}},
            {"type": "image_url", "image_url": "https://x/dog.png"},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            {"type": "file", "file": {"file_data": "data:,x", "filename": "x.txt"}}
        ]}"#,
    );
    let expected = [
        ContentPart::Text("look".to_owned()),
        ContentPart::Image(Media::new("https://x/cat.png").with_detail("high")),
        ContentPart::Image(Media::new("https://x/dog.png")),
        ContentPart::Audio(Media::new("AAAA").with_media_type("audio/mpeg")),
        ContentPart::File(Media::new("data:,x").with_name("x.txt")),
    ];
    assert_eq!(message.content, expected);
}

#[test]
fn tool_calls_of_a_chat_api_become_parts() {
    let message = read(
        r#"{"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "c2", "type": "function", "function": {"name": "g", "arguments": {"a": 1}}},
            {"id": "c3", "type": "function", "function": {"name": "h"}}
        ]}"#,
    );
    let expected = [
        ContentPart::ToolCall(ToolCall::new("c1", "f", r#"{"a":1}"#)),
        ContentPart::ToolCall(ToolCall::new("c2", "g", r#"{"a": 1}"#)),
        ContentPart::ToolCall(ToolCall::new("c3", "h", "{}")),
    ];
    assert_eq!(message.content, expected);
    assert!(message.metadata.is_empty());
}

#[test]
fn a_call_of_a_tool_that_takes_free_text_is_read() {
    let message = read(
        r#"{"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
        ]}"#,
    );
    let mut call = ToolCall::new("c1", "sql", "SELECT 1");
    call.free_text = true;
    assert_eq!(message.content, [ContentPart::ToolCall(call)]);
    let value = r#"{"role": "assistant", "tool_calls": [{"custom": {"name": "sql", "input": 1}}]}"#;
    assert_eq!(
        error_of(value),
        "at tool_calls[0].custom.input: expected JSON text or an object, found integer"
    );
}

#[test]
fn a_tool_result_refers_to_its_call() {
    let message = read(r#"{"role": "tool", "tool_call_id": "c1", "content": "sunny"}"#);
    assert_eq!(message.role, Role::Tool);
    assert_eq!(message.content, [ContentPart::ToolResult(ToolResult::new("c1", "sunny"))]);
}

#[test]
fn a_null_content_has_no_parts() {
    assert_eq!(read(r#"{"role": "assistant", "content": null}"#).content, []);
}

#[test]
fn an_unknown_role_is_kept() {
    let message = read(r#"{"role": "critic", "content": "no"}"#);
    assert_eq!(message.role, Role::Other("critic".into()));
}

#[test]
fn other_entries_of_a_message_are_metadata() {
    let message =
        read(r#"{"name": "Ada", "role": "user", "content": "Hi", "metadata": {"id": 7}}"#);
    assert_eq!(message.metadata, Map::from([("name", Value::from("Ada")), ("id", 7.into())]));
}

#[test]
fn an_error_has_the_place_the_expected_form_and_the_actual_kind() {
    assert_eq!(error_of("3"), "expected a message, found integer");
    assert_eq!(error_of(r#"{"content": "x"}"#), "missing `role` of the message");
    assert_eq!(
        error_of(r#"{"role": 3, "content": "x"}"#),
        "at role: expected a string, found integer"
    );
    assert_eq!(error_of(r#"{"role": "user"}"#), "missing `content` of the message");
    assert_eq!(
        error_of(r#"{"role": "user", "content": 3}"#),
        "at content: expected a string or an array of parts, found integer"
    );
    assert_eq!(
        error_of(r#"{"role": "user", "content": ["a", {"kind": "image", "value": 3}]}"#),
        "at content[1].value: expected a string, found integer"
    );
    assert_eq!(
        error_of(r#"{"role": "user", "content": [{"type": "video"}]}"#),
        "at content[0].type: unknown part kind `video`; expected `text`, `image`, `file`, `audio`, \
         `tool_call`, `tool_result`, `reasoning`, `image_url` or `input_audio`"
    );
    assert_eq!(
        error_of(r#"{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}"#),
        "at tool_calls[0].function: missing key `name`"
    );
    assert_eq!(
        error_of(r#"{"role": "user", "content": "a", "parts": ["b"]}"#),
        "the message has both `content` and `parts`"
    );
}

#[test]
fn a_thread_is_a_list_of_messages() {
    let thread = json(r#"[{"role": "user", "content": "Hi"}, {"role": "user"}]"#);
    let error = thread_from_value(&thread).unwrap_err();
    assert_eq!(error.to_string(), "at [1]: missing `content` of the message");
    let error = thread_from_value(&Value::from("Hi")).unwrap_err();
    assert_eq!(error.to_string(), "expected an array of messages, found string");
}

#[test]
fn media_are_a_string_or_an_object() {
    let expected = Media::new("x").with_media_type("image/png");
    for text in [
        r#"{"value": "x", "mediaType": "image/png"}"#,
        r#"{"url": "x", "media_type": "image/png"}"#,
        r#"{"source": "x", "mediaType": "image/png", "detail": null}"#,
    ] {
        assert_eq!(Media::from_value(&json(text)).unwrap(), expected, "{text}");
    }
    assert_eq!(Media::from_value(&Value::from("x")).unwrap(), Media::new("x"));
    let error = Media::from_value(&json("{}")).unwrap_err();
    assert_eq!(error.to_string(), "missing key `value`");
    assert!(error.help().is_some_and(|help| help.contains("data URI")));
}

#[test]
fn the_nesting_of_tool_results_is_limited() {
    let mut content = Value::from("end");
    for _ in 0..1000 {
        let part = Map::from([
            ("kind", Value::from("tool_result")),
            ("callId", Value::from("c")),
            ("content", content),
        ]);
        content = Value::from(vec![Value::from(part)]);
    }
    let message = Map::from([("role", Value::from("tool")), ("content", content)]);
    let error = Message::from_value(&Value::from(message)).unwrap_err();
    assert!(error.to_string().ends_with(": nested more than 128 levels deep"));
}

/// A thread comes from outside. References to stored content would be sent in the service's name.
#[test]
fn a_thread_does_not_accept_provider_specific_parts() {
    let part = r#"{"kind": "provider", "protocol": "openai-responses", "value": {"type": "item_reference", "id": "m1"}}"#;
    let call = r#"{"kind": "tool_call", "id": "c", "name": "f", "arguments": "{}", "provider": {"protocol": "p", "fields": {"x": 1}}}"#;
    let nested = format!(r#"{{"kind": "tool_result", "callId": "c", "content": [{part}]}}"#);
    for part in [part, call, &nested] {
        let thread = format!(
            r#"[{{"role": "user", "content": "Hi"}}, {{"role": "assistant", "content": [{part}]}}]"#
        );
        let thread = Value::from_json(&thread).unwrap();
        let error = thread_from_value(&thread).unwrap_err();
        let message = "at [1]: provider-specific parts are not allowed in a thread";
        assert_eq!(error.to_string(), message);
        assert!(Message::from_value(thread.as_array().unwrap().last().unwrap()).is_ok());
    }
}
