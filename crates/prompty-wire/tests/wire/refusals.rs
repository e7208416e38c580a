//! What providers refuse, found before it is sent: one behaviour each.

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

/// The result behind it would stand in the mouth of the model.
#[test]
fn a_tool_that_says_nothing_is_an_error() {
    let [call, result] = call_and_result();
    let empty = Message::new(Role::Tool, Vec::new());
    for protocol in PROTOCOLS {
        let error = refusal(protocol, &[call.clone(), empty.clone(), result.clone()]);
        let expected = "message 1: a message of the role `tool` says no call that it answers";
        assert_eq!(error, expected, "{protocol:?}");
    }
}

#[test]
fn anthropic_gets_no_text_of_nothing_but_white_space() {
    let [call, _] = call_and_result();
    let mut result = ToolResult::new("c1", " ");
    result.content.push("12:30".into());
    let said = [
        Message::system("\n"),
        Message::user("Hi"),
        Message::new(Role::Assistant, [ContentPart::from("\n\n"), call.content[0].clone()]),
        Message::from(result),
        Message::new(Role::User, [ContentPart::from(" "), ContentPart::from("Well?")]),
    ];
    let json = anthropic(&said);
    assert!(!json.contains("system") && json.contains("Well?"), "{json}");
    for blank in [r#""text":" ""#, r#""text":"\n"#, r#""text":"""#] {
        assert!(!json.contains(blank), "{json}");
    }
}

#[test]
fn the_system_of_anthropic_says_texts_alone() {
    let image = ContentPart::Image(Media::from_bytes(b"\x89PNG", "image/png"));
    let system = Message::new(Role::System, ["Be brief.".into(), image]);
    let messages = [system, Message::user("Hi")];
    let error = refusal(Protocol::AnthropicMessages, &messages);
    assert!(error.starts_with("message 0: ") && error.contains("`system`"), "{error}");
}

/// A block that is newer than this library stays where it stood.
#[test]
fn a_block_of_the_system_stays_in_front() {
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
        assert_eq!(error.to_string(), "the request names no model", "{protocol:?}");
    }
}

#[test]
fn a_request_without_messages_is_an_error() {
    for protocol in PROTOCOLS {
        for messages in [&[][..], &[Message::assistant("")]] {
            let error = refusal(protocol, messages);
            assert_eq!(error, "the request has no message that says anything", "{protocol:?}");
        }
    }
}

/// The provider has the conversation, or the prompt.
#[test]
fn a_request_to_go_on_needs_no_messages() {
    for name in ["previous_response_id", "conversation", "prompt"] {
        let request = Request::new("m", &[]).with_protocol(Protocol::OpenAiResponses);
        request.with_extra(name, "r1").to_json().unwrap();
    }
}

/// They would be lost without a word.
#[test]
fn instructions_of_another_kind_are_an_error() {
    let bodies = [
        (Protocol::AnthropicMessages, r#"{"model": "m", "system": 5, "messages": []}"#, "system"),
        (Protocol::AnthropicMessages, r#"{"model": "m", "system": {}, "messages": []}"#, "system"),
        (Protocol::OpenAiResponses, r#"{"instructions": [], "input": "Hi"}"#, "instructions"),
    ];
    for (protocol, body, name) in bodies {
        let error = Request::from_value(protocol, &Value::from_json(body).unwrap()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&format!("`{name}` is of the kind")), "{message}");
    }
}
