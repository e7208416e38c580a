//! Content of an unknown form is an error, or a part that only the provider understands. It is never
//! an empty complete answer.

use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError, WireErrorKind};

/// Reads events, each of which is JSON.
fn read_events(protocol: Protocol, events: &[&str]) -> Result<Reply, WireError> {
    let mut stream = protocol.reader();
    events.iter().for_each(|event| _ = stream.push(event));
    stream.finish()
}

/// The number of parts that only the provider understands, and the content.
fn others(reply: &Reply) -> (usize, &str) {
    (reply.others().len(), reply.content())
}

fn chat(choice: &str) -> String {
    format!(r#"{{"choices": [{{{choice}, "finish_reason": "stop"}}]}}"#)
}

#[test]
fn chat_content_of_another_type_is_an_error() {
    for choice in [
        r#""message": {"content": 5}"#,
        r#""message": {"content": {"text": "a"}}"#,
        r#""message": {"content": [{"type": "text", "text": {"value": "a"}}]}"#,
        r#""message": {"tool_calls": {"function": {"name": "f"}}}"#,
        r#""message": {"tool_calls": [["f"]]}"#,
        r#""message": {"tool_calls": [{"function": {"name": ["f"]}}]}"#,
        r#""message": {"refusal": ["no"]}"#,
        r#""message": "a""#,
    ] {
        let error = Protocol::OpenAiChat.read(200, chat(choice).as_bytes()).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{choice}");
        assert!(error.to_string().contains("expected"), "{error}");
        let delta = chat(&choice.replace("message", "delta"));
        let first = r#"{"choices": [{"delta": {"content": "The dose"}}]}"#;
        let error = read_events(Protocol::OpenAiChat, &[first, &delta]).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{choice}");
        assert_eq!(error.partial().unwrap().content(), "The dose");
    }
}

#[test]
fn chat_calls_and_reasoning_of_another_type_are_an_error() {
    for choice in [
        r#""message": {"function_call": "f"}"#,
        r#""message": {"function_call": ["f"]}"#,
        r#""message": {"tool_calls": [{"id": "a", "custom": "f"}]}"#,
        r#""message": {"content": "a", "reasoning_details": {"text": "b"}}"#,
        r#""message": {"content": "a", "reasoning_details": "b"}"#,
    ] {
        for choice in [choice.to_owned(), choice.replace("message", "delta")] {
            let error = read_events(Protocol::OpenAiChat, &[&chat(&choice)]).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{choice}");
        }
    }
}

#[test]
fn chat_fields_without_content_may_have_any_type() {
    for choice in [
        r#""message": {"content": "a", "refusal": false, "tool_calls": {}}"#,
        r#""message": {"content": "a", "reasoning": null, "tool_calls": ""}"#,
        r#""message": {"content": "a", "x": 5}, "delta": [], "logprobs": [1]"#,
    ] {
        let reply = Protocol::OpenAiChat.read(200, chat(choice).as_bytes()).unwrap();
        assert_eq!(reply.content(), "a", "{choice}");
    }
}

#[test]
fn chat_parts_of_an_unknown_form_are_reported() {
    for part in [r#"{"value": "a"}"#, r#"{"type": "x", "value": "a"}"#, "5", r#"["a"]"#] {
        let body = chat(&format!(r#""message": {{"content": [{part}, "b"]}}"#));
        let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
        assert_eq!(others(&reply), (1, "b"), "{part}");
    }
    let body = chat(r#""message": {"content": [null, {}, {"type": "text", "text": ""}, "b"]}"#);
    let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
    assert_eq!(others(&reply), (0, "b"));
}

#[test]
fn the_text_of_older_completions_is_content() {
    let body = chat(r#""text": "a""#);
    assert_eq!(Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap().content(), "a");
}

const ANTHROPIC_END: &str = r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#;

#[test]
fn anthropic_content_of_an_unknown_form_is_an_error_with_the_partial_reply() {
    let start = r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#;
    let text = r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "The dose"}}"#;
    for event in [
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "x_delta", "text": "500"}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ["500"]}}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 500}}"#,
        r#"{"type": "block_delta", "index": 0, "delta": {"type": "text_delta", "text": "500"}}"#,
        r#"{"type": "block_start", "index": 1, "content_block": {"type": "text", "text": "500"}}"#,
    ] {
        let events = [start, text, event, ANTHROPIC_END];
        let error = read_events(Protocol::AnthropicMessages, &events).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{event}");
        assert_eq!(error.partial().unwrap().content(), "The dose", "{event}");
    }
    for event in [
        r#"{"type": "x", "value": 5}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {"cited_text": "a"}}}"#,
    ] {
        let events = [start, text, event, ANTHROPIC_END];
        let reply = read_events(Protocol::AnthropicMessages, &events).unwrap();
        assert_eq!(reply.content(), "The dose", "{event}");
    }
}

#[test]
fn anthropic_content_of_another_type_is_an_error() {
    for event in [
        r#"{"type": "message_start", "message": "500"}"#,
        r#"{"type": "content_block_delta", "index": 0, "delta": "500"}"#,
        r#"{"type": ["content_block_delta"], "index": 0, "delta": {"text": "500"}}"#,
    ] {
        let error = read_events(Protocol::AnthropicMessages, &[event, ANTHROPIC_END]).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{event}");
    }
}

#[test]
fn anthropic_blocks_of_an_unknown_form_are_reported() {
    for block in ["5", r#"["a"]"#, r#"{"type": "x", "value": "a"}"#, r#"{"value": "a"}"#] {
        let body = format!(
            r#"{{"type": "message", "stop_reason": "end_turn", "content": [{block}, {{"type": "text", "text": "b"}}]}}"#
        );
        let reply = Protocol::AnthropicMessages.read(200, body.as_bytes()).unwrap();
        assert_eq!(others(&reply), (1, "b"), "{block}");
    }
}

#[test]
fn responses_parts_of_an_unknown_form_are_reported_once() {
    let text = r#"{"type": "output_text", "text": "b"}"#;
    let empty = r#"{"type": "output_text", "text": ""}"#;
    for part in
        [r#"{"type": "x", "value": "a"}"#, "5", r#"{"type": "text", "text": {"value": "a"}}"#]
    {
        let item = format!(
            r#"{{"type": "message", "id": "m", "content": [{part}, {empty}, null, {text}]}}"#
        );
        let response = format!(r#"{{"status": "completed", "output": [{item}]}}"#);
        let reply = Protocol::OpenAiResponses.read(200, response.as_bytes()).unwrap();
        assert_eq!(others(&reply), (1, "b"), "{part}");
        let events = [
            format!(
                r#"{{"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": {part}}}"#
            ),
            format!(
                r#"{{"type": "response.output_item.done", "output_index": 0, "item": {item}}}"#
            ),
            format!(r#"{{"type": "response.completed", "response": {response}}}"#),
        ];
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let reply = read_events(Protocol::OpenAiResponses, &events).unwrap();
        assert_eq!(others(&reply), (1, "b"), "{part}");
    }
}

#[test]
fn responses_texts_of_another_type_are_an_error_with_the_partial_reply() {
    let first = r#"{"type": "response.output_text.delta", "output_index": 0, "delta": "The dose"}"#;
    let end = r#"{"type": "response.completed", "response": {"output": []}}"#;
    for event in [
        r#"{"type": "response.output_text.delta", "output_index": 0, "delta": {"text": "500"}}"#,
        r#"{"type": "response.output_text.delta", "output_index": 0, "delta": 500}"#,
        r#"{"type": "response.output_text.done", "output_index": 1, "text": ["500"]}"#,
        r#"{"type": "response.refusal.delta", "output_index": 0, "delta": ["no"]}"#,
        r#"{"type": "response.refusal.done", "output_index": 0, "refusal": {"text": "no"}}"#,
        r#"{"type": "response.reasoning_text.done", "output_index": 1, "text": 5}"#,
        r#"{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": {"a": 1}}"#,
        r#"{"type": "newer.delta", "output_index": 0, "delta": "500"}"#,
        r#"{"type": true, "output_index": 0, "delta": "500"}"#,
    ] {
        let error = read_events(Protocol::OpenAiResponses, &[first, event, end]).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{event}");
        assert_eq!(error.partial().unwrap().content(), "The dose", "{event}");
    }
}

/// The item of such an event is reported when it is finished.
#[test]
fn responses_deltas_of_unknown_items_may_have_any_type() {
    let events = [
        r#"{"type": "response.shell_call_output_content.delta", "output_index": 0, "delta": {"stdout": "a"}}"#,
        r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "shell_call_output", "id": "s", "output": [{"stdout": "a"}]}}"#,
        r#"{"type": "response.completed", "response": {"output": []}}"#,
    ];
    let reply = read_events(Protocol::OpenAiResponses, &events).unwrap();
    assert_eq!(others(&reply), (1, ""));
}

#[test]
fn responses_content_that_is_neither_a_string_nor_an_array_is_reported() {
    for content in ["5", "true", r#"{"text": "a"}"#] {
        let body = format!(
            r#"{{"status": "completed", "output": [{{"type": "message", "content": {content}}}]}}"#
        );
        let reply = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap();
        assert_eq!(others(&reply), (1, ""), "{content}");
    }
}

#[test]
fn responses_input_that_is_not_a_string_is_kept_as_json() {
    let body = br#"{"status": "completed", "output": [
        {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": {"a": 1}}]}"#;
    let reply = Protocol::OpenAiResponses.read(200, body).unwrap();
    assert_eq!(reply.calls()[0].arguments, r#"{"a":1}"#);
}

#[test]
fn a_line_that_is_not_an_event_is_an_error_after_a_complete_reply() {
    let end = "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\n";
    for line in ["ata: {\"choices\": []}", "data {\"choices\": []}", "{\"choices\": []}"] {
        let first = "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}";
        let body = format!("{first}\n\n{line}\n\n{end}");
        for size in [1, 1000] {
            let mut stream = Protocol::OpenAiChat.reader();
            body.as_bytes().chunks(size).for_each(|piece| _ = stream.push_bytes(piece));
            let error = stream.finish().unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{line}");
            assert_eq!(error.partial().unwrap().content(), "a", "{line}");
        }
    }
}
