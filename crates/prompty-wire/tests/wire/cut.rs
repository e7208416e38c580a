//! Answers that end early, and errors: what is told of them, and whether the request may be sent again.

use prompty_wire::{Protocol, ReplyReader, WireError, WireErrorKind};

fn finish(body: &str) -> WireError {
    let mut stream = ReplyReader::new();
    stream.push_bytes(body.as_bytes());
    stream.finish().unwrap_err()
}

#[test]
fn a_stream_that_ends_before_its_first_event_may_be_asked_for_again() {
    for body in [
        "",
        ": OPENROUTER PROCESSING\n\n",
        "retry: 3000\n\n",
        "id: 1\n\n",
        "event: message_start\n",
        "da",
        "data:",
        ": x\n\ndata: [DONE]\n\n",
        "data: {\"type\": \"keepalive\"}\n\n",
        "data: [DONE]\n\ndata: {\"choices\": [{\"delta\": {\"content\": \"x\"}}]}\n\n",
    ] {
        let error = finish(body);
        assert_eq!(error.kind(), WireErrorKind::CutOff, "{body}");
        assert!(error.is_retryable(), "{body}");
    }
    for body in
        ["<html>", "data: {\"type\": \"message_start\", \"message\": {}}\n\n", "Bad gateway"]
    {
        assert_eq!(finish(body).kind(), WireErrorKind::Unreadable, "{body}");
    }
}

#[test]
fn a_whole_answer_that_was_cut_may_be_asked_for_again() {
    let body = br#"{"choices": [{"message": {"content": "x"#;
    for body in [&body[..], b""] {
        let error = Protocol::OpenAiChat.read(200, body).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::CutOff);
        assert!(error.is_retryable());
    }
    let error = Protocol::OpenAiChat.read(200, b"{\"choices\": oops}").unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::Unreadable);
}

#[test]
fn the_end_of_a_stream_behind_a_whole_answer_loses_nothing() {
    let body = b"{\"choices\": [{\"message\": {\"content\": \"Hello\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(Protocol::OpenAiChat.read(200, body).unwrap().content(), "Hello");
}

#[test]
fn a_cut_choice_beside_a_whole_one_may_be_asked_for_again() {
    let mut stream = ReplyReader::new();
    stream.push(
        r#"{"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}, {"index": 1, "delta": {"content": "b"}}]}"#,
    );
    let error = stream.finish().unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::CutOff);
    assert!(error.is_retryable());
}

#[test]
fn an_error_with_half_a_character_or_a_doubled_key_is_read() {
    for body in [
        r#"{"error": {"message": "bad \ud83d prompt", "code": "insufficient_quota"}}"#,
        r#"{"error": {"message": "bad", "code": "x", "code": "insufficient_quota"}}"#,
        r#"{"error": null, "error": {"message": "bad", "code": "insufficient_quota"}}"#,
    ] {
        let error = Protocol::OpenAiChat.read(429, body.as_bytes()).unwrap_err();
        let said = error.provider().unwrap();
        assert!(said.message.starts_with("bad"), "{error}");
        assert_eq!(said.code.as_deref(), Some("insufficient_quota"));
        assert!(!error.is_retryable());
    }
}

#[test]
fn the_data_of_an_error_that_is_streamed_are_read() {
    let mut stream = ReplyReader::new().with_status(400);
    stream.push(r#"{"error": {"message": "no such model"}}"#);
    let error = stream.finish().unwrap_err();
    assert_eq!(error.to_string(), "the provider answered with status 400: no such model");
}

#[test]
fn nothing_is_told_behind_an_error_of_the_provider() {
    let mut stream = ReplyReader::new();
    assert_eq!(stream.push(r#"{"choices": [{"delta": {"content": "a"}}]}"#).count(), 1);
    assert_eq!(stream.push(r#"{"error": {"message": "overloaded"}}"#).count(), 0);
    assert_eq!(stream.push(r#"{"choices": [{"delta": {"content": "b"}}]}"#).count(), 0);
    assert_eq!(stream.finish().unwrap_err().partial().unwrap().content(), "a");
}

#[test]
fn a_response_that_failed_without_words_may_be_asked_for_again() {
    let body = br#"{"object": "response", "status": "failed", "output": []}"#;
    assert!(Protocol::OpenAiResponses.read(200, body).unwrap_err().is_retryable());
}

/// It is made in the background: the same request would begin another one.
#[test]
fn a_response_that_is_not_done_is_not_asked_for_again() {
    for status in ["queued", "in_progress"] {
        let body =
            format!(r#"{{"object": "response", "id": "r1", "status": "{status}", "output": []}}"#);
        let error = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::CutOff);
        assert!(!error.is_retryable());
        let reply = error.partial().unwrap();
        assert_eq!((reply.id(), reply.finish_word()), (Some("r1"), Some(status)));
    }
}
