//! Odd answers of hosts and gateways, which must be read without loss.

use prompty_core::message::{Message, ToolResult};
use prompty_core::value::Value;
use prompty_reply::{FinishReason, Reply, ReplyErrorKind};
use prompty_wire::{Protocol, Request, WireErrorKind, append_turn};

/// Reads the data of events.
fn read(protocol: Protocol, events: &[&str]) -> Reply {
    let mut stream = protocol.reader();
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
fn arguments_of_another_type_do_not_become_an_empty_object() {
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
fn a_message_next_to_the_delta_is_reported_once() {
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
fn blocks_with_the_same_index_are_separate_blocks() {
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
fn numbers_of_a_complete_input_keep_their_digits() {
    let body = br#"{"type": "message", "stop_reason": "tool_use", "content": [{"type": "tool_use",
        "id": "A", "name": "f", "input": {"n":123456789012345678901234567890123456789012345}}]}"#;
    let reply = Protocol::AnthropicMessages.read(200, body).unwrap();
    let arguments = r#"{"n":123456789012345678901234567890123456789012345}"#;
    assert_eq!(calls(&reply), [("f", arguments, true)]);
}

#[test]
fn arguments_in_only_the_completed_response_are_reported() {
    let events = [
        r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}}"#,
        r#"{"type": "response.completed", "response": {"status": "completed", "output": [
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"city\":\"Bonn\"}"}]}}"#,
    ];
    let reply = read(Protocol::OpenAiResponses, &events);
    assert_eq!(calls(&reply), [("f", r#"{"city":"Bonn"}"#, true)]);
}

#[test]
fn a_failed_response_without_an_error_is_an_error() {
    let error = Protocol::OpenAiResponses
        .read(200, br#"{"id": "x", "status": "failed", "error": null, "output": []}"#)
        .unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::Provider);
}

/// A chunk with pieces of calls.
fn chunk(calls: &str) -> String {
    format!(r#"{{"choices": [{{"delta": {{"tool_calls": [{calls}]}}}}]}}"#)
}

#[test]
fn an_object_that_keeps_the_connection_open_does_not_end_the_response() {
    for alive in ["{}", r#"{"ping": 1}"#, r#"{"object": "heartbeat"}"#, r#"{"type": null}"#] {
        let events = [
            r#"{"type": "response.output_text.delta", "output_index": 0, "delta": "Hel"}"#,
            alive,
            r#"{"type": "response.output_text.delta", "output_index": 0, "delta": "lo"}"#,
            r#"{"type": "response.completed", "response": {"output": []}}"#,
        ];
        assert_eq!(read(Protocol::OpenAiResponses, &events).content(), "Hello", "{alive}");
    }
}

#[test]
fn pieces_with_different_ids_and_one_index_are_one_call() {
    let events = [
        chunk(r#"{"index": 0, "id": "a1", "function": {"name": "f", "arguments": ""}}"#),
        chunk(r#"{"index": 0, "id": "a2", "function": {"name": "f", "arguments": "{\"a\":"}}"#),
        chunk(r#"{"index": 0, "id": "a3", "function": {"name": "f", "arguments": "1}"}}"#),
        CHAT_END.to_owned(),
    ];
    let reply = read(Protocol::OpenAiChat, &events.each_ref().map(String::as_str));
    assert_eq!(calls(&reply), [("f", r#"{"a":1}"#, true)]);
}

#[test]
fn a_repeated_call_at_the_end_is_one_call() {
    let call = r#"{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"a\":1}"}}"#;
    let message = format!(
        r#"{{"choices": [{{"message": {{"content": "", "tool_calls": [{call}]}}, "finish_reason": "tool_calls"}}]}}"#
    );
    for last in [&chunk(call), &message] {
        let reply = read(Protocol::OpenAiChat, &[&chunk(call), last, CHAT_END]);
        assert_eq!(calls(&reply), [("f", r#"{"a":1}"#, true)], "{last}");
    }
}

#[test]
fn a_duplicate_field_counts_once() {
    let twice = [
        (
            Protocol::OpenAiChat,
            r#"{"model": "a", "model": "b", "choices": [{"message": {"content": "Hi"}, "finish_reason": null, "finish_reason": "stop"}]}"#,
        ),
        (
            Protocol::AnthropicMessages,
            r#"{"type": "message", "usage": null, "usage": {"input_tokens": 1}, "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}"#,
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"status": "completed", "status": "completed", "output_text": "Hi"}"#,
        ),
    ];
    for (protocol, json) in twice {
        assert_eq!(read(protocol, &[json]).content(), "Hi");
        assert_eq!(protocol.read(200, json.as_bytes()).unwrap().content(), "Hi");
    }
}

#[test]
fn the_first_block_without_an_index_is_that_of_index_0() {
    let events = [
        r#"{"type": "content_block_start", "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":1}"}}"#,
        ANTHROPIC_END,
    ];
    assert_eq!(calls(&read(Protocol::AnthropicMessages, &events)), [("f", r#"{"a":1}"#, true)]);
}

#[test]
fn arguments_without_a_call_leave_no_other_call_complete() {
    let events = [
        chunk(r#"{"index": 0, "id": "a", "function": {"name": "f"}}"#),
        chunk(r#"{"index": 1, "function": {"arguments": "{\"a\":1}"}}"#),
        CHAT_END.to_owned(),
    ];
    let reply = read(Protocol::OpenAiChat, &events.each_ref().map(String::as_str));
    assert!(reply.calls().iter().all(|call| !call.complete), "{reply:?}");
}

#[test]
fn a_delta_without_a_type_is_read_by_its_fields() {
    let events = [
        r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"text": "Hi"}}"#,
        r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#,
    ];
    assert_eq!(read(Protocol::AnthropicMessages, &events).content(), "Hi");
}

#[test]
fn a_message_that_starts_again_is_reported_once() {
    let start = r#"{"type": "message_start", "message": {"content": [{"type": "text", "text": "Hi"}], "usage": {"input_tokens": 3}}}"#;
    let end = r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#;
    assert_eq!(read(Protocol::AnthropicMessages, &[start, start, end]).content(), "Hi");
}

#[test]
fn text_in_only_the_end_of_a_part_is_reported() {
    let events = [
        r#"{"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": "Hm."}"#,
        r#"{"type": "response.refusal.done", "output_index": 1, "content_index": 0, "refusal": "No."}"#,
        r#"{"type": "response.completed", "response": {"output": []}}"#,
    ];
    let reply = read(Protocol::OpenAiResponses, &events);
    assert_eq!((reply.reasoning(), reply.refusal()), ("Hm.", Some("No.")));
}

#[test]
fn parts_whose_end_repeats_them_are_reported_once() {
    let events = [
        r#"{"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "A"}"#,
        r#"{"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 1, "delta": "B"}"#,
        r#"{"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": "A"}"#,
        r#"{"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 1, "text": "B"}"#,
        r#"{"type": "response.completed", "response": {"output": []}}"#,
    ];
    assert_eq!(read(Protocol::OpenAiResponses, &events).reasoning(), "A\n\nB");
}

#[test]
fn the_content_of_a_response_may_be_a_string() {
    for content in [r#""Hi""#, r#"["Hi"]"#, r#"[{"type": "output_text", "text": "Hi"}]"#] {
        let body = format!(
            r#"{{"status": "completed", "output": [{{"type": "message", "content": {content}}}]}}"#
        );
        let reply = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap();
        assert_eq!(reply.content(), "Hi", "{content}");
    }
}

#[test]
fn an_answer_in_another_protocol_is_unreadable() {
    let chat = r#"{"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": {"content": "Hi"}}]}"#;
    let responses = r#"{"type": "response.output_text.delta", "delta": "Hi"}"#;
    let anthropic = r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}"#;
    let events = [
        (Protocol::OpenAiChat, chat),
        (Protocol::OpenAiResponses, responses),
        (Protocol::AnthropicMessages, anthropic),
    ];
    for (protocol, _) in events {
        for (_, event) in events.iter().filter(|(other, _)| *other != protocol) {
            let mut stream = protocol.reader();
            stream.push_bytes(format!("data: {event}\n\n").as_bytes());
            let error = stream.finish().unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{protocol:?}: {event}");
            assert!(!error.is_retryable());
        }
    }
}

#[test]
fn collected_events_are_read_as_a_complete_answer() {
    let body = b": alive\n\ndata: {\"choices\": [{\"delta\": {\"content\": \"Hi\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(Protocol::OpenAiChat.read(200, body).unwrap().content(), "Hi");
}

#[test]
fn an_empty_body_is_an_error() {
    let error = Protocol::OpenAiChat.read(200, b" \n").unwrap_err();
    assert_eq!(error.to_string(), "the provider's answer is empty");
}

#[test]
fn events_without_a_blank_line_between_them_are_read() {
    let body = "data: {\"choices\": [{\"delta\": {\"content\": \"Hel\"}}]}\ndata: {\"choices\": [{\"delta\": {\"content\": \"lo\"}, \"finish_reason\": \"stop\"}]}\ndata: [DONE]\n";
    let mut stream = Protocol::OpenAiChat.reader();
    stream.push_bytes(body.as_bytes());
    assert_eq!(stream.finish().unwrap().content(), "Hello");
}

#[test]
fn an_error_that_is_a_status_may_be_retryable() {
    for (json, is_retryable) in [(r#"{"error": 503}"#, true), (r#"{"error": 400}"#, false)] {
        let mut stream = Protocol::OpenAiChat.reader();
        stream.push(json);
        assert_eq!(stream.finish().unwrap_err().is_retryable(), is_retryable, "{json}");
    }
}

#[test]
fn a_cancelled_response_is_not_an_error() {
    let event = r#"{"type": "response.cancelled", "response": {"status": "cancelled"}}"#;
    let reply = read(Protocol::OpenAiResponses, &[event]);
    assert_eq!(reply.finish_reason(), Some(FinishReason::Cancelled));
}

#[test]
fn a_filtered_answer_is_an_error() {
    let body =
        br#"{"choices": [{"message": {"content": "hel"}, "finish_reason": "content_filter"}]}"#;
    let reply = Protocol::OpenAiChat.read(200, body).unwrap();
    assert_eq!(reply.clone().complete().unwrap_err().kind(), ReplyErrorKind::Refused);
    #[cfg(feature = "output")]
    assert!(reply.output::<String>().is_err());
}

#[test]
fn arguments_that_are_nested_too_deeply_are_not_complete() {
    let deep = format!("{}1{}", "{\\\"a\\\":".repeat(200), "}".repeat(200));
    let body = format!(
        r#"{{"choices": [{{"finish_reason": "tool_calls", "message": {{"tool_calls": [{{"id": "a", "function": {{"name": "f", "arguments": "{deep}"}}}}]}}}}]}}"#
    );
    let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
    assert!(reply.calls().iter().all(|call| !call.complete));
}

#[test]
fn provider_fields_of_a_call_are_sent_back() {
    let bodies = [
        (
            Protocol::OpenAiCompatible,
            r#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "c2ln"}}}]}}]}"#,
            r#""extra_content":{"google":{"thought_signature":"c2ln"}}"#,
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"status": "completed", "output": [{"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}", "namespace": "crm"}]}"#,
            r#""namespace":"crm""#,
        ),
        (
            Protocol::AnthropicMessages,
            r#"{"type": "message", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "code_execution_20250825", "tool_id": "t"}}], "stop_reason": "tool_use"}"#,
            r#""caller":{"type":"code_execution_20250825","tool_id":"t"}"#,
        ),
    ];
    for (protocol, body, wanted) in &bodies {
        let reply = protocol.read(200, body.as_bytes()).unwrap();
        let mut messages = vec![Message::user("Go on.")];
        append_turn(&mut messages, &reply, [ToolResult::new("a", "done")]).unwrap();
        for (other, ..) in &bodies {
            let json = Request::new("m", &messages).with_protocol(*other).to_json().unwrap();
            assert_eq!(json.contains(wanted), other == protocol, "{other:?}: {json}");
        }
    }
}

#[test]
fn phases_of_a_reply_are_kept_with_their_texts() {
    let body = br#"{"status": "completed", "output": [
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "message", "phase": "final_answer", "content": [{"type": "output_text", "text": "42"}]}]}"#;
    let reply = Protocol::OpenAiResponses.read(200, body).unwrap();
    let messages = reply.to_messages();
    let phases = messages.iter().map(|it| it.metadata.get("phase").and_then(Value::as_str));
    assert_eq!(phases.collect::<Vec<_>>(), [Some("commentary"), Some("final_answer")]);
    assert_eq!(messages.iter().map(Message::text).collect::<Vec<_>>(), ["I look.", "42"]);
}
