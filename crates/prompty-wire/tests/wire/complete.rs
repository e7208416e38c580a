//! A reply is complete only if each byte of its answer was read and understood.

use prompty_reply::Reply;
use prompty_wire::{Protocol, Request, WireError, WireErrorKind};

use prompty_core::value::Value;
use work_counting::{assert_linear, count_work};

const ANSWERED: &[u8] =
    b"data: {\"choices\": [{\"delta\": {\"content\": \"The dose is 5\"}, \"finish_reason\": \"stop\"}]}\n\n";

fn read(protocol: Protocol, body: &[u8]) -> Result<Reply, WireError> {
    let mut stream = protocol.reader();
    body.chunks(7).for_each(|piece| _ = stream.push_bytes(piece));
    stream.finish()
}

/// The error of a body, which a reader in pieces and one of complete bodies share.
#[track_caller]
fn error(protocol: Protocol, body: &[u8]) -> WireError {
    let complete = protocol.read(200, body).unwrap_err();
    let error = read(protocol, body).unwrap_err();
    assert_eq!(error.to_string(), complete.to_string());
    error
}

#[test]
fn bytes_that_are_not_utf8_are_an_error_with_the_partial_reply() {
    for bytes in [&b"\xff"[..], b"\xe2\x28\xa1", b"\xf0\x9f\xa6", b"\xc3("] {
        let last: Vec<u8> =
            [b"data: {\"choices\": [{\"delta\": {\"content\": \"", bytes, b"00 mg\"}}]}\n\n"]
                .concat();
        let error = error(Protocol::OpenAiChat, &[ANSWERED, &last].concat());
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{bytes:?}");
        assert_eq!(error.to_string(), "the provider's answer is not valid UTF-8");
        assert_eq!(error.partial().unwrap().content(), "The dose is 5");
    }
}

#[test]
fn bytes_that_are_not_utf8_in_a_comment_are_an_error() {
    let body = [&b": \xff\n\n"[..], ANSWERED].concat();
    assert_eq!(error(Protocol::OpenAiChat, &body).kind(), WireErrorKind::Unreadable);
}

#[test]
fn an_event_that_is_cut_after_the_finish_reason_is_an_error() {
    let event = "data: {\"choices\": [{\"delta\": {\"content\": \"00 mg ÿ\"}}]}";
    for length in 1..event.len() {
        // `data:` alone has no content.
        if (5..=6).contains(&length) {
            continue;
        }
        let error = error(Protocol::OpenAiChat, &[ANSWERED, &event.as_bytes()[..length]].concat());
        assert_eq!(error.kind(), WireErrorKind::CutOff, "{length}");
        assert_eq!(error.partial().unwrap().content(), "The dose is 5", "{length}");
        assert!(error.is_retryable(), "{length}");
    }
    let body = [ANSWERED, event.as_bytes()].concat();
    assert_eq!(read(Protocol::OpenAiChat, &body).unwrap().content(), "The dose is 500 mg ÿ");
}

#[test]
fn a_cut_after_the_end_of_the_answer_is_ignored() {
    for rest in ["data: [DONE]\n\nda", "data: [DONE]\n\ndata: {\"choi", "data: [DONE]"] {
        let body = [ANSWERED, rest.as_bytes()].concat();
        assert_eq!(read(Protocol::OpenAiChat, &body).unwrap().content(), "The dose is 5");
    }
}

/// A call without an id gets one, and so does its result.
#[test]
fn a_written_request_is_read_again_if_a_result_without_an_id_has_an_unknown_field() {
    let bodies = [
        (
            Protocol::AnthropicMessages,
            r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","content":"b","x":1}]}]}"#,
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"model":"m","input":[{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":"b","x":1}]}"#,
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"model":"m","input":[{"type":"custom_tool_call","name":"f","input":"x"},{"type":"custom_tool_call_output","output":"b"}]}"#,
        ),
        (
            Protocol::OpenAiChat,
            r#"{"model":"m","messages":[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"b","x":1}]}"#,
        ),
    ];
    for (protocol, body) in bodies {
        let body = Value::from_json(body).unwrap();
        let written = Request::from_value(protocol, &body).unwrap().to_value().unwrap();
        let again = Request::from_value(protocol, &written).unwrap().to_json().unwrap();
        assert_eq!(Value::from_json(&again).unwrap(), written, "{protocol:?}");
        assert!(again.matches("call_1").count() == 2, "{again}");
    }
}

fn chunk(call: &str) -> String {
    format!("{{\"choices\": [{{\"delta\": {{\"tool_calls\": [{call}]}}}}]}}\n")
}

const CHAT_END: &str = r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#;

/// Reads an event in each line.
fn read_lines(body: &str) -> Result<Reply, WireError> {
    let mut stream = Protocol::OpenAiChat.reader();
    body.lines().for_each(|event| _ = stream.push(event));
    stream.finish()
}

#[test]
fn repeated_calls_are_linear_work() {
    let spaced = r#"{\"a\": 1}"#;
    for last in [r#"{\"a\":1}"#, spaced, "{}"] {
        assert_linear("repeated calls", 200, |size| {
            let call = |arguments: &str| {
                chunk(&format!(
                    r#"{{"index": 0, "id": "a", "function": {{"name": "f", "arguments": "{arguments}"}}}}"#
                ))
            };
            let long = format!(r#"{{\"a\": 1{}}}"#, " ".repeat(size * 100));
            let body = call(&long) + &call(last).repeat(size) + CHAT_END;
            count_work(|| read_lines(&body)).1
        });
    }
}

#[test]
fn calls_without_a_name_after_a_long_one_are_linear_work() {
    assert_linear("calls without a name", 200, |size| {
        let long = format!(r#"{{\"a\": \"{}\"}}"#, "x".repeat(size * 100));
        let mut body = chunk(&format!(
            r#"{{"index": 0, "id": "a", "function": {{"name": "f", "arguments": "{long}"}}}}"#
        ));
        for index in 1..size {
            body += &chunk(&format!(r#"{{"index": {index}, "function": {{"arguments": "{{"}}}}"#));
        }
        body += CHAT_END;
        count_work(|| read_lines(&body)).1
    });
}

#[test]
fn a_call_whose_name_arrives_in_pieces_is_not_complete() {
    let first = r#"{"index": 0, "id": "a", "function": {"name": "get_", "arguments": ""}}"#;
    for second in [
        r#"{"index": 0, "function": {"name": "weather", "arguments": "{}"}}"#,
        r#"{"index": 0, "id": "a", "function": {"name": "weather", "arguments": "{}"}}"#,
    ] {
        let reply = read_lines(&(chunk(first) + &chunk(second) + CHAT_END)).unwrap();
        assert!(reply.calls().iter().all(|call| !call.complete), "{reply:?}");
    }
    let next = r#"{"index": 0, "id": "b", "function": {"name": "weather", "arguments": "{}"}}"#;
    let reply = read_lines(&(chunk(first) + &chunk(next) + CHAT_END)).unwrap();
    assert!(reply.calls().iter().all(|call| call.complete), "{reply:?}");
}

#[test]
fn short_messages_after_a_long_one_are_linear_work() {
    let texts =
        |text: &str| format!(r#""content": "{text}", "reasoning": "{text}", "refusal": "{text}""#);
    let call = |text: &str| {
        format!(
            r#""tool_calls": [{{"id": "a", "function": {{"name": "f", "arguments": "{{\\"a\\": \\"{text}"}}}}]"#
        )
    };
    let forms: [&dyn Fn(&str) -> String; 2] = [&texts, &call];
    for form in forms {
        assert_linear("repeated messages", 200, |size| {
            let message = |text: &str| {
                format!(r#"{{"choices": [{{"message": {{{}}}}}]}}"#, form(text)) + "\n"
            };
            let body = message(&"x".repeat(size * 100)) + &message("x").repeat(size) + CHAT_END;
            count_work(|| read_lines(&body)).1
        });
    }
}

#[test]
fn messages_after_many_parts_of_the_provider_are_linear_work() {
    assert_linear("repeated messages", 60, |size| {
        let block = r#"{"type": "content_block_start", "content_block": {"type": "x"}}"#;
        let message =
            r#"{"type": "message", "content": [{"type": "x"}, {"type": "text", "text": ""}]}"#;
        count_work(|| {
            let mut stream = Protocol::AnthropicMessages.reader();
            (0..size).for_each(|_| _ = stream.push(block));
            (0..size).for_each(|_| _ = stream.push(message));
            stream.finish()
        })
        .1
    });
}
