//! Requests that providers refuse are errors before they are sent, one behaviour each.

use prompty_core::message::{ContentPart, Media, Message, Role, ToolCall, ToolResult};
use prompty_core::value::Value;
use prompty_wire::{Protocol, Request};

use super::PROTOCOLS;

fn refusal(protocol: Protocol, messages: &[Message]) -> String {
    Request::new("m", messages).with_protocol(protocol).to_json().unwrap_err().to_string()
}

fn anthropic(messages: &[Message]) -> String {
    Request::new("m", messages).with_protocol(Protocol::AnthropicMessages).to_json().unwrap()
}

fn call_and_result() -> [Message; 2] {
    let call = ContentPart::ToolCall(ToolCall::new("c1", "now", "{}"));
    [Message::new(Role::Assistant, call), Message::from(ToolResult::new("c1", "12:30"))]
}

/// Otherwise the result after it would appear to come from the model.
#[test]
fn an_empty_tool_message_is_an_error() {
    let [call, result] = call_and_result();
    let empty = Message::new(Role::Tool, Vec::new());
    for protocol in PROTOCOLS {
        let error = refusal(protocol, &[call.clone(), empty.clone(), result.clone()]);
        let expected =
            "message 1: a message with the role `tool` does not name the call that it answers";
        assert_eq!(error, expected, "{protocol:?}");
    }
}

#[test]
fn anthropic_gets_no_blank_texts() {
    let [call, _] = call_and_result();
    let mut result = ToolResult::new("c1", " ");
    result.content.push("12:30".into());
    let messages = [
        Message::system("\n"),
        Message::user("Hi"),
        Message::new(Role::Assistant, [ContentPart::from("\n\n"), call.content[0].clone()]),
        Message::from(result),
        Message::new(Role::User, [ContentPart::from(" "), ContentPart::from("Well?")]),
    ];
    let json = anthropic(&messages);
    assert!(!json.contains("system") && json.contains("Well?"), "{json}");
    for blank in [r#""text":" ""#, r#""text":"\n"#, r#""text":"""#] {
        assert!(!json.contains(blank), "{json}");
    }
}

#[test]
fn anthropics_system_messages_only_contain_text() {
    let image = ContentPart::Image(Media::from_bytes(b"\x89PNG", "image/png"));
    let system = Message::new(Role::System, ["Be brief.".into(), image]);
    let messages = [system, Message::user("Hi")];
    let error = refusal(Protocol::AnthropicMessages, &messages);
    assert!(error.starts_with("message 0: ") && error.contains("`system`"), "{error}");
}

/// A block that is newer than this library keeps its position.
#[test]
fn an_unknown_system_block_stays_in_the_system_field() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"max_tokens":9,"system":[{"type":"text","text":"Be brief."},{"type":"newer","value":1}]}"#;
    let value = Value::from_json(body).unwrap();
    let request = Request::from_value(Protocol::AnthropicMessages, &value).unwrap();
    assert_eq!(request.to_json().unwrap(), body);
}

#[test]
fn a_request_without_a_model_is_an_error() {
    let messages = [Message::user("Hi")];
    for protocol in PROTOCOLS {
        let error = Request::new(" ", &messages).with_protocol(protocol).to_json().unwrap_err();
        assert_eq!(error.to_string(), "the request has no model", "{protocol:?}");
    }
}

#[test]
fn a_request_without_messages_is_an_error() {
    for protocol in PROTOCOLS {
        for messages in [&[][..], &[Message::assistant("")]] {
            let error = refusal(protocol, messages);
            assert_eq!(error, "the request has no message with content", "{protocol:?}");
        }
    }
}

/// The provider stores the conversation, or the prompt.
#[test]
fn a_request_that_continues_a_stored_conversation_needs_no_messages() {
    for name in ["previous_response_id", "conversation", "prompt"] {
        let request = Request::new("m", &[]).with_protocol(Protocol::OpenAiResponses);
        request.with_extra(name, "r1").to_json().unwrap();
    }
}

/// They would be lost silently.
#[test]
fn instructions_of_another_type_are_an_error() {
    let bodies = [
        (Protocol::AnthropicMessages, r#"{"model": "m", "system": 5, "messages": []}"#, "system"),
        (Protocol::AnthropicMessages, r#"{"model": "m", "system": {}, "messages": []}"#, "system"),
        (Protocol::OpenAiResponses, r#"{"instructions": [], "input": "Hi"}"#, "instructions"),
    ];
    for (protocol, body, name) in bodies {
        let error = Request::from_value(protocol, &Value::from_json(body).unwrap()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&format!("invalid type of `{name}`")), "{message}");
    }
}
