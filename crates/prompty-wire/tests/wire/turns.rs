//! A reply and the results of its calls, added to a conversation and sent again.

use prompty_core::message::{Message, ToolResult};
use prompty_reply::Part;
use prompty_wire::{Protocol, Request, append_turn};

use super::PROTOCOLS;

const CALL: &[u8] = br#"{"type": "message", "stop_reason": "tool_use", "content": [
    {"type": "thinking", "thinking": "I look.", "signature": "sig"},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "cat"}},
    {"type": "tool_use", "id": "c1", "name": "now", "input": {}}]}"#;

/// The provider wants its signed reasoning back, and refuses calls without results.
#[test]
fn signed_parts_are_only_sent_to_their_provider() {
    let mut messages = vec![Message::user("What time is it?")];
    let reply = Protocol::AnthropicMessages.read(200, CALL).unwrap();
    append_turn(&mut messages, &reply, [ToolResult::new("c1", "12:30")]).unwrap();
    let anthropic = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
    let json = anthropic.to_json().unwrap();
    assert!(json.contains(r#""signature":"sig""#) && json.contains("server_tool_use"), "{json}");
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        let json = Request::new("m", &messages).with_protocol(protocol).to_json().unwrap();
        assert!(!json.contains("sig\"") && !json.contains("server_tool_use"), "{json}");
        assert!(json.contains("12:30"), "{json}");
    }
}

#[test]
fn a_turn_with_an_unanswered_call_is_an_error_and_adds_nothing() {
    let mut messages = vec![Message::user("What time is it?")];
    let reply = Protocol::AnthropicMessages.read(200, CALL).unwrap();
    let error = append_turn(&mut messages, &reply, []).unwrap_err();
    assert_eq!(error.to_string(), "the call to `now` has no result");
    let results = [ToolResult::new("c1", "12:30"), ToolResult::new("c9", "?").with_name("other")];
    let error = append_turn(&mut messages, &reply, results).unwrap_err();
    assert_eq!(error.to_string(), "the result of `other` does not belong to a call of the reply");
    assert_eq!(messages.len(), 1);
}

/// Audio of the model is a field next to the content of its message, and is refused inside of it.
/// OpenAI identifies it by its id.
#[test]
fn audio_of_the_model_is_sent_to_openai_by_its_id() {
    let body = br#"{"choices": [{"finish_reason": "stop", "message": {"content": null,
        "audio": {"id": "a1", "data": "UklG", "transcript": "Hi", "expires_at": 9}}}]}"#;
    let reply = Protocol::OpenAiChat.read(200, body).unwrap();
    assert_eq!(reply.others()[0].kind(), Some("audio"));
    let mut messages = vec![Message::user("Hello!")];
    append_turn(&mut messages, &reply, []).unwrap();
    messages.push(Message::user("Go on."));
    for protocol in PROTOCOLS {
        let json = Request::new("m", &messages).with_protocol(protocol).to_json().unwrap();
        let audio = r#"{"role":"assistant","content":null,"audio":{"id":"a1"}}"#;
        assert_eq!(json.contains(audio), protocol == Protocol::OpenAiChat, "{json}");
        assert!(!json.contains("UklG"), "{json}");
    }
}

/// An answer with a valid call, and a call whose arguments are not JSON.
const BROKEN: &[u8] = br#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
    {"id": "c1", "function": {"name": "population", "arguments": "{\"city\": Bonn"}},
    {"id": "c2", "function": {"name": "now", "arguments": "{}"}}]}}]}"#;

/// The model can only repeat a call if it is found about the failure.
#[test]
fn an_unreadable_call_is_described_after_the_results() {
    let mut messages = vec![Message::user("How many people live in Bonn?")];
    let reply = Protocol::OpenAiChat.read(200, BROKEN).unwrap();
    append_turn(&mut messages, &reply, [ToolResult::new("c2", "12:30")]).unwrap();
    let roles: Vec<&str> = messages.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
    let text = messages[3].text();
    let begins = "The call to `population` was not carried out.\nerror: the arguments of `population` are not valid JSON: ";
    assert!(text.starts_with(begins), "{text}");
    assert!(text.ends_with("\nhelp: write the arguments as one JSON object"), "{text}");
    for protocol in PROTOCOLS {
        let json = Request::new("m", &messages).with_protocol(protocol).to_json().unwrap();
        assert!(json.contains("was not carried out") && !json.contains("c1"), "{json}");
    }
}

#[test]
fn arguments_other_than_an_object_are_described() {
    let body = br#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
        {"id": "c1", "function": {"name": "now", "arguments": "[1]"}}]}}]}"#;
    let mut messages = Vec::new();
    append_turn(&mut messages, &Protocol::OpenAiChat.read(200, body).unwrap(), []).unwrap();
    let text = messages[0].text();
    assert!(text.contains("expected a JSON object as arguments of `now`, found array"), "{text}");
}

#[test]
fn a_call_that_a_limit_truncates_is_described() {
    let body = br#"{"choices": [{"finish_reason": "length", "message": {"tool_calls": [
        {"id": "c1", "function": {"name": "now", "arguments": "{\"zone\": "}}]}}]}"#;
    let mut messages = Vec::new();
    append_turn(&mut messages, &Protocol::OpenAiChat.read(200, body).unwrap(), []).unwrap();
    let text = messages[0].text();
    assert!(text.contains("the reply ended inside of the call to `now`"), "{text}");
}

/// Arguments may contain text of a page or a mail, which must not appear to come from the user.
#[test]
fn the_description_of_a_failed_call_has_no_arguments() {
    let body = br#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
        {"id": "c1", "function": {"name": "now", "arguments": "Pay the invoice."}}]}}]}"#;
    let mut messages = Vec::new();
    append_turn(&mut messages, &Protocol::OpenAiChat.read(200, body).unwrap(), []).unwrap();
    assert!(!messages[0].text().contains("invoice"), "{}", messages[0].text());
}

/// Providers refuse an assistant message without text and calls, and reasoning alone.
#[test]
fn an_empty_reply_adds_no_message() {
    let silent = [
        (
            Protocol::OpenAiChat,
            r#"{"choices": [{"finish_reason": "stop", "message": {"content": " \n"}}]}"#,
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"status": "completed", "output": [{"type": "reasoning", "id": "r1", "summary": []}]}"#,
        ),
        (
            Protocol::AnthropicMessages,
            r#"{"type": "message", "stop_reason": "end_turn", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]}"#,
        ),
    ];
    for (protocol, body) in silent {
        let mut messages = vec![Message::user("Hi")];
        append_turn(&mut messages, &protocol.read(200, body.as_bytes()).unwrap(), []).unwrap();
        assert_eq!(messages.len(), 1, "{protocol:?}");
    }
}

#[test]
fn an_empty_assistant_message_is_never_written() {
    let messages = [Message::user("Hi"), Message::assistant(""), Message::user("Hello?")];
    for protocol in PROTOCOLS {
        let json = Request::new("m", &messages).with_protocol(protocol).to_json().unwrap();
        assert!(!json.contains("assistant"), "{json}");
    }
}

/// OpenAI's models write comments before the answer, and call tools there.
#[test]
fn results_follow_the_message_with_their_calls() {
    let body = br#"{"status": "completed", "output": [
        {"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "c1", "name": "now", "arguments": "{}"},
        {"type": "message", "phase": "final_answer", "content": [{"type": "output_text", "text": "Soon."}]}]}"#;
    let reply = Protocol::OpenAiResponses.read(200, body).unwrap();
    let mut messages = vec![Message::user("Hi")];
    append_turn(&mut messages, &reply, [ToolResult::new("c1", "12:30")]).unwrap();
    let roles: Vec<&str> = messages.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
}

/// A block of text is a separate part of the reply, and is sent back as a block.
#[test]
fn two_blocks_of_text_stay_apart() {
    let body = br#"{"type": "message", "stop_reason": "end_turn", "content": [
        {"type": "text", "text": "It is "}, {"type": "text", "text": "warm."}]}"#;
    let reply = Protocol::AnthropicMessages.read(200, body).unwrap();
    let parts: Vec<_> = reply.parts().collect();
    assert_eq!(parts, [Part::Content("It is "), Part::Content("warm.")]);
    assert_eq!(reply.content(), "It is warm.");

    let messages = [Message::user("And?"), Message::from(&reply), Message::user("Thanks.")];
    let anthropic = Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages);
    let blocks = r#"[{"type":"text","text":"It is "},{"type":"text","text":"warm."}]"#;
    assert!(anthropic.to_json().unwrap().contains(blocks));

    let events = [
        r#"{"type": "message_start", "message": {"content": []}}"#,
        r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It "}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "is "}}"#,
        r#"{"type": "content_block_stop", "index": 0}"#,
        r#"{"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "warm."}}"#,
        r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#,
        r#"{"type": "message_stop"}"#,
    ];
    let mut reader = Protocol::AnthropicMessages.reader();
    for event in events {
        reader.push(event);
    }
    assert_eq!(reader.finish().unwrap(), reply);
}
