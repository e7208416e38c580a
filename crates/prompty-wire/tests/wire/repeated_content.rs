//! Content that an answer repeats, sends late, or sends only at its start. Nothing is lost, and
//! nothing is reported twice.

use prompty_core::message::Message;
use prompty_reply::Reply;
use prompty_wire::{Protocol, Request, WireError};

fn read(protocol: Protocol, events: &[&str]) -> Result<Reply, WireError> {
    let mut stream = protocol.reader();
    for event in events {
        stream.push(event);
    }
    stream.finish()
}

fn responses(events: &[&str]) -> Reply {
    let end =
        r#"{"type": "response.completed", "response": {"status": "completed", "output": []}}"#;
    read(Protocol::OpenAiResponses, &[events, &[end]].concat()).unwrap()
}

#[test]
fn arguments_of_an_added_item_count_if_no_others_arrive() {
    let added = r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "{\"a\": 1}", "status": "in_progress"}}"#;
    let done = r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "", "status": "completed"}}"#;
    let delta = r#"{"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"b\": 2}"}"#;
    for (events, arguments) in [
        (&[added][..], r#"{"a": 1}"#),
        (&[added, done], r#"{"a": 1}"#),
        (&[added, delta], r#"{"b": 2}"#),
        (&[added, delta, done], r#"{"b": 2}"#),
    ] {
        let reply = responses(events);
        let call = &reply.calls()[0];
        assert_eq!((&*call.arguments, call.complete), (arguments, true), "{events:?}");
        assert!(reply.malformed().is_empty());
    }
}

#[test]
fn free_text_of_an_added_item_counts_if_no_other_arrives() {
    let added = r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "ls"}}"#;
    assert_eq!(responses(&[added]).calls()[0].arguments, "ls");
}

#[test]
fn texts_of_an_added_item_count_if_no_others_arrive() {
    let added = r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}}"#;
    let empty = r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m", "content": []}}"#;
    let done = r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}}"#;
    for events in [&[added][..], &[added, empty], &[added, done]] {
        assert_eq!(responses(events).content(), "Hello", "{events:?}");
    }
    let thought = r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm"}]}}"#;
    assert_eq!(responses(&[thought]).reasoning(), "Hm");
}

#[test]
fn a_part_in_only_its_end_event_is_reported_once() {
    let message = r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m", "content": []}}"#;
    let part = r#"{"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": "Hello"}}"#;
    let text = r#"{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"}"#;
    for events in [&[message, part][..], &[message, text, part], &[part, text]] {
        assert_eq!(responses(events).content(), "Hello", "{events:?}");
    }
    let refusal = r#"{"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": {"type": "refusal", "refusal": "No"}}"#;
    assert_eq!(responses(&[message, refusal]).refusal(), Some("No"));
    let thought = r#"{"type": "response.reasoning_summary_part.done", "output_index": 0, "summary_index": 0, "part": {"type": "summary_text", "text": "Hm"}}"#;
    assert_eq!(responses(&[thought, thought]).reasoning(), "Hm");
}

#[test]
fn an_empty_delta_does_not_hide_a_text() {
    let delta = r#"{"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": ""}"#;
    let text = r#"{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"}"#;
    let item = r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}}"#;
    for events in [&[delta, text][..], &[delta, item], &[delta, text, item]] {
        assert_eq!(responses(events).content(), "Hello", "{events:?}");
    }
}

#[test]
fn a_part_after_a_later_one_is_reported() {
    let second = r#"{"type": "response.output_text.delta", "output_index": 0, "content_index": 1, "delta": "B"}"#;
    let first = r#"{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "A"}"#;
    let item = r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "A"}, {"type": "output_text", "text": "B"}]}}"#;
    for events in [&[second, first][..], &[second, item], &[second, first, item]] {
        assert_eq!(responses(events).content(), "BA", "{events:?}");
    }
    let second = r#"{"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 1, "delta": "B"}"#;
    let first = r#"{"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": "A"}"#;
    assert_eq!(responses(&[second, first]).reasoning(), "B\n\nA");
}

const ANTHROPIC_END: &str = r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#;

#[test]
fn a_complete_message_after_its_deltas_is_reported_once() {
    let delta = r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}}"#;
    let complete = r#"{"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}"#;
    for events in [
        &[delta, complete][..],
        &[complete],
        &[complete, complete],
        &[delta, ANTHROPIC_END, complete],
    ] {
        let reply = read(Protocol::AnthropicMessages, events).unwrap();
        assert_eq!(reply.content(), "hi", "{events:?}");
    }
}

#[test]
fn an_error_message_next_to_its_type_is_read() {
    let event = r#"{"type": "error", "message": "overloaded"}"#;
    let error = read(Protocol::AnthropicMessages, &[event]).unwrap_err();
    assert_eq!(error.provider().unwrap().message, "overloaded");
}

#[test]
fn a_duplicate_key_in_a_later_block_loses_no_text() {
    let body = br#"{"type": "message", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "x", "text": "b"}], "stop_reason": "end_turn"}"#;
    assert_eq!(Protocol::AnthropicMessages.read(200, body).unwrap().content(), "ab");
}

#[test]
fn numbers_of_kept_parts_keep_their_fraction() {
    let body = br#"{"type": "message", "content": [{"type": "server_tool_use", "id": "s", "name": "run", "input": {"x": 1.0, "y": 1e2}}], "stop_reason": "end_turn"}"#;
    let reply = Protocol::AnthropicMessages.read(200, body).unwrap();
    let messages = [Message::user("Hi"), Message::from(&reply)];
    let json =
        Request::new("m", &messages).with_protocol(Protocol::AnthropicMessages).to_json().unwrap();
    assert!(json.contains(r#""input":{"x":1.0,"y":100.0}"#), "{json}");
}

#[test]
fn numbers_of_arguments_are_unchanged_despite_a_duplicate_field() {
    let body = br#"{"id": "a", "id": "b", "choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"x": 1.0}}}]}, "finish_reason": "tool_calls"}]}"#;
    let reply = Protocol::OpenAiChat.read(200, body).unwrap();
    let arguments: Vec<&str> = reply.calls().iter().map(|call| &*call.arguments).collect();
    assert_eq!(arguments, [r#"{"x":1.0}"#]);
}

fn anthropic(events: &[&str]) -> Reply {
    read(Protocol::AnthropicMessages, events).unwrap()
}

#[test]
fn a_complete_anthropic_message_adds_missing_content() {
    let delta = r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}}"#;
    let complete = r#"{"type": "message", "stop_reason": "tool_use", "content": [
        {"type": "thinking", "thinking": "Hm", "signature": "s"},
        {"type": "text", "text": "Hello"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}}]}"#;
    for events in [&[delta, complete][..], &[delta, complete, complete]] {
        let reply = anthropic(events);
        assert_eq!((reply.content(), reply.reasoning()), ("Hello", "Hm"));
        let calls: Vec<_> =
            reply.calls().iter().map(|it| (&*it.id, &*it.arguments, it.complete)).collect();
        assert_eq!(calls, [("a", r#"{"x":1}"#, true), ("b", "{}", true)]);
        let kinds: Vec<_> = reply.others().iter().map(|it| it.kind()).collect();
        assert_eq!(kinds, [Some("thinking")]);
    }
}

#[test]
fn a_complete_anthropic_message_repeats_no_content() {
    let events = [
        r#"{"type": "message_start", "message": {"content": []}}"#,
        r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}}"#,
        r#"{"type": "content_block_stop", "index": 0}"#,
        r#"{"type": "content_block_start", "index": 1, "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}}"#,
        r#"{"type": "content_block_stop", "index": 1}"#,
        r#"{"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}}"#,
        r#"{"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "One"}}"#,
        r#"{"type": "content_block_stop", "index": 2}"#,
        r#"{"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}}"#,
        r#"{"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": "{}"}}"#,
        // The end of the block is missing.
    ];
    let complete = r#"{"type": "message", "stop_reason": "tool_use", "content": [
        {"type": "thinking", "thinking": "Hm", "signature": "s"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "text", "text": "One"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}}]}"#;
    let end = r#"{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}"#;
    let alone = anthropic(&[&events[..], &[end]].concat());
    let reply = anthropic(&[&events[..], &[complete]].concat());
    assert_eq!((alone.content(), alone.reasoning()), ("One", "Hm"));
    assert_eq!(Message::from(&reply), Message::from(&alone));
}
