//! A reply and the results of its calls, added to a conversation and sent again.

use prompty_core::message::{Message, ToolResult};
use prompty_model::wire::{Protocol, Request, append_turn};

const CALL: &[u8] = br#"{"type": "message", "stop_reason": "tool_use", "content": [
    {"type": "thinking", "thinking": "I look.", "signature": "sig"},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "cat"}},
    {"type": "tool_use", "id": "c1", "name": "now", "input": {}}]}"#;

/// The provider wants its signed reasoning back, and refuses calls without results.
#[test]
fn what_a_provider_signed_goes_back_to_it_and_to_no_other() {
    let mut messages = vec![Message::user("What time is it?")];
    let reply = Protocol::AnthropicMessages.read(200, CALL).unwrap();
    append_turn(&mut messages, &reply, [ToolResult::new("c1", "12:30")]).unwrap();
    let anthropic = Request::new("m", &messages).protocol(Protocol::AnthropicMessages);
    let json = anthropic.to_json().unwrap();
    assert!(json.contains(r#""signature":"sig""#) && json.contains("server_tool_use"), "{json}");
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        let json = Request::new("m", &messages).protocol(protocol).to_json().unwrap();
        assert!(!json.contains("sig\"") && !json.contains("server_tool_use"), "{json}");
        assert!(json.contains("12:30"), "{json}");
    }
}

#[test]
fn a_turn_with_a_call_that_has_no_result_is_refused_and_changes_nothing() {
    let mut messages = vec![Message::user("What time is it?")];
    let reply = Protocol::AnthropicMessages.read(200, CALL).unwrap();
    let error = append_turn(&mut messages, &reply, []).unwrap_err();
    assert_eq!(error.to_string(), "the call of `now` has no result");
    let results = [ToolResult::new("c1", "12:30"), ToolResult::new("c9", "?").with_name("other")];
    let error = append_turn(&mut messages, &reply, results).unwrap_err();
    assert_eq!(error.to_string(), "a result of `other` belongs to no call of the reply");
    assert_eq!(messages.len(), 1);
}

/// The model's sound stands beside the content of its message, and is refused inside of it.
#[test]
fn a_sound_of_the_model_is_kept_and_not_sent_as_content() {
    let body = br#"{"choices": [{"finish_reason": "stop", "message": {"content": "Hi", "audio": {"id": "a1"}}}]}"#;
    let reply = Protocol::OpenAiChat.read(200, body).unwrap();
    assert_eq!(reply.others()[0].kind(), Some("audio"));
    let messages = [Message::from(&reply), Message::user("Go on.")];
    let json = Request::new("m", &messages).to_json().unwrap();
    assert!(json.contains(r#""content":"Hi""#) && !json.contains("audio"), "{json}");
}
