//! Answers that are odd in ways that hosts and gateways have: what is read must stay what was sent.
#![cfg(feature = "wire")]
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use prompty_model::reply::Reply;
use prompty_model::wire::{Protocol, WireErrorKind};

/// Reads the data of events.
fn read(protocol: Protocol, events: &[&str]) -> Reply {
    let mut stream = protocol.stream();
    for data in events {
        stream.push(data);
    }
    stream.finish().unwrap()
}

/// Name, arguments and completeness of each call.
fn calls(reply: &Reply) -> Vec<(&str, &str, bool)> {
    reply.calls().iter().map(|it| (&*it.name, &*it.arguments, it.complete)).collect()
}

const CHAT_END: &str = r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#;
const ANTHROPIC_END: &str = r#"{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}"#;

#[test]
fn calls_without_ids_are_not_merged() {
    let body = br#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
        {"function": {"name": "f", "arguments": ""}},
        {"function": {"name": "g", "arguments": "{\"b\":1}"}}]}}]}"#;
    let reply = Protocol::OpenAiChat.read(200, body).unwrap();
    assert_eq!(calls(&reply), [("f", "{}", true), ("g", r#"{"b":1}"#, true)]);
}

#[test]
fn pieces_go_to_the_call_of_their_id() {
    let events = [
        r#"{"choices": [{"delta": {"tool_calls": [{"id": "A", "function": {"name": "f", "arguments": "{\"a\":"}}]}}]}"#,
        r#"{"choices": [{"delta": {"tool_calls": [{"id": "B", "function": {"name": "g", "arguments": "{\"b\":"}}]}}]}"#,
        r#"{"choices": [{"delta": {"tool_calls": [{"id": "A", "function": {"arguments": "1}"}}]}}]}"#,
        CHAT_END,
    ];
    let reply = read(Protocol::OpenAiChat, &events);
    assert_eq!(calls(&reply), [("f", r#"{"a":1}"#, true), ("g", r#"{"b":"#, false)]);
}

#[test]
fn arguments_of_another_kind_are_no_empty_object() {
    for arguments in ["[1]", "false", "12"] {
        let body = format!(
            r#"{{"choices": [{{"finish_reason": "tool_calls", "message": {{"tool_calls": [
                {{"id": "a", "function": {{"name": "f", "arguments": {arguments}}}}}]}}}}]}}"#
        );
        let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
        assert_eq!(calls(&reply), [("f", arguments, false)]);
    }
}

#[test]
fn a_message_beside_the_delta_is_not_told_twice() {
    let event = r#"{"choices": [{"message": {"content": "Hello"}, "delta": {"content": "Hello"},
        "finish_reason": "stop"}]}"#;
    assert_eq!(read(Protocol::OpenAiChat, &[event]).content(), "Hello");
}

#[test]
fn an_error_inside_a_choice_is_an_error() {
    let body =
        br#"{"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "gone"}}]}"#;
    let error = Protocol::OpenAiChat.read(200, body).unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::Provider);
    assert!(error.is_retryable());
}

#[test]
fn the_input_of_a_block_that_never_stops_counts() {
    let start = r#"{"type": "content_block_start", "index": 0, "content_block":
        {"type": "tool_use", "id": "A", "name": "f", "input": {"city":"Bonn"}}}"#;
    let reply = read(Protocol::AnthropicMessages, &[start, ANTHROPIC_END]);
    assert_eq!(calls(&reply), [("f", r#"{"city":"Bonn"}"#, true)]);
}

#[test]
fn blocks_that_all_have_one_index_are_blocks_of_their_own() {
    let events = [
        r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "A", "name": "f", "input": {}}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":"}}"#,
        r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "B", "name": "g", "input": {}}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "1}"}}"#,
        ANTHROPIC_END,
    ];
    let reply = read(Protocol::AnthropicMessages, &events);
    assert_eq!(calls(&reply), [("f", r#"{"a":"#, false), ("g", "1}", false)]);
}

#[test]
fn numbers_of_a_whole_input_keep_their_digits() {
    let body = br#"{"type": "message", "stop_reason": "tool_use", "content": [{"type": "tool_use",
        "id": "A", "name": "f", "input": {"n":123456789012345678901234567890123456789012345}}]}"#;
    let reply = Protocol::AnthropicMessages.read(200, body).unwrap();
    let arguments = r#"{"n":123456789012345678901234567890123456789012345}"#;
    assert_eq!(calls(&reply), [("f", arguments, true)]);
}

#[test]
fn what_only_the_completed_response_tells_is_told() {
    let events = [
        r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}}"#,
        r#"{"type": "response.completed", "response": {"status": "completed", "output": [
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"city\":\"Bonn\"}"}]}}"#,
    ];
    let reply = read(Protocol::OpenAiResponses, &events);
    assert_eq!(calls(&reply), [("f", r#"{"city":"Bonn"}"#, true)]);
}

#[test]
fn a_response_that_failed_without_a_word_is_an_error() {
    let error = Protocol::OpenAiResponses
        .read(200, br#"{"id": "x", "status": "failed", "error": null, "output": []}"#)
        .unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::Provider);
}
