//! Truncated answers and errors: what is reported, and whether the request may be retried.

use prompty_wire::{Protocol, ReplyReader, WireError, WireErrorKind};

fn finish(body: &str) -> WireError {
    let mut stream = ReplyReader::new();
    stream.push_bytes(body.as_bytes());
    stream.finish().unwrap_err()
}

#[test]
fn a_stream_without_events_is_retryable() {
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
fn a_truncated_answer_is_retryable() {
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
fn the_end_of_a_stream_after_a_complete_answer_is_ignored() {
    let body = b"{\"choices\": [{\"message\": {\"content\": \"Hello\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(Protocol::OpenAiChat.read(200, body).unwrap().content(), "Hello");
}

#[test]
fn a_truncated_choice_after_a_complete_one_is_retryable() {
    let mut stream = ReplyReader::new();
    stream.push(
        r#"{"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}, {"index": 1, "delta": {"content": "b"}}]}"#,
    );
    let error = stream.finish().unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::CutOff);
    assert!(error.is_retryable());
}

#[test]
fn an_error_with_a_lone_surrogate_or_a_duplicate_key_is_read() {
    for body in [
        r#"{"error": {"message": "bad \ud83d prompt", "code": "insufficient_quota"}}"#,
        r#"{"error": {"message": "bad", "code": "x", "code": "insufficient_quota"}}"#,
        r#"{"error": null, "error": {"message": "bad", "code": "insufficient_quota"}}"#,
    ] {
        let error = Protocol::OpenAiChat.read(429, body.as_bytes()).unwrap_err();
        let provider = error.provider().unwrap();
        assert!(provider.message.starts_with("bad"), "{error}");
        assert_eq!(provider.code.as_deref(), Some("insufficient_quota"));
        assert!(!error.is_retryable());
    }
}

#[test]
fn the_data_of_a_streamed_error_is_read() {
    let mut stream = ReplyReader::new().with_status(400);
    stream.push(r#"{"error": {"message": "no such model"}}"#);
    let error = stream.finish().unwrap_err();
    assert_eq!(error.to_string(), "the provider answered with status 400: no such model");
}

/// The last event may have no blank line after it. Then it is read at the end of the body.
#[test]
fn nothing_is_reported_after_an_error_of_the_provider() {
    let provider = "data: {\"error\": {\"message\": \"overloaded\"}}\n\n";
    let unreadable = "data: upstream closed\n\n";
    let content =
        |text: &str| format!("data: {{\"choices\": [{{\"delta\": {{\"content\": \"{text}\"}}}}]}}");
    for (errors, kind) in [
        (&[provider][..], WireErrorKind::Provider),
        (&[provider, unreadable], WireErrorKind::Provider),
        // The first error is returned, but nothing is read after the second one.
        (&[unreadable, provider], WireErrorKind::Unreadable),
    ] {
        for end in ["\n\n", ""] {
            let mut stream = ReplyReader::new();
            assert_eq!(stream.push_bytes(format!("{}\n\n", content("a")).as_bytes()).count(), 1);
            let rest = format!("{}{}{end}", errors.concat(), content("b"));
            assert_eq!(stream.push_bytes(rest.as_bytes()).count(), 0, "{rest}");
            assert_eq!(stream.end().count(), 0, "{rest}");
            let error = stream.finish().unwrap_err();
            assert_eq!(error.kind(), kind, "{rest}");
            assert_eq!(error.partial().unwrap().content(), "a", "{rest}");
        }
    }
}

#[test]
fn an_answer_that_was_truncated_before_end_stays_truncated() {
    let body = "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}, \"finish_reason\": \"stop\"}]}\n\ndata: {\"usa";
    assert_eq!(finish(body).kind(), WireErrorKind::CutOff);
    let mut stream = ReplyReader::new();
    stream.push_bytes(body.as_bytes());
    assert_eq!(stream.end().count(), 0);
    assert_eq!(stream.finish().unwrap_err().kind(), WireErrorKind::CutOff);
}

#[test]
fn a_failed_response_without_an_error_is_retryable() {
    let body = br#"{"object": "response", "status": "failed", "output": []}"#;
    assert!(Protocol::OpenAiResponses.read(200, body).unwrap_err().is_retryable());
}

/// The response is created in the background. The same request would start another one.
#[test]
fn an_unfinished_response_is_not_retryable() {
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

/// Only the provider knows that a text or a number was cut.
#[cfg(feature = "output")]
#[test]
fn an_output_that_was_cut_is_an_error_with_the_received_part() {
    use prompty_output::output::{Output, OutputError, OutputErrorKind};

    let read = |content: &str, reason: &str| {
        let message = serde_json::json!({"role": "assistant", "content": content});
        let choice = serde_json::json!({"message": message, "finish_reason": reason});
        let body = serde_json::json!({"choices": [choice]}).to_string();
        Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap()
    };
    let partial = |error: OutputError| {
        assert_eq!(error.kind(), OutputErrorKind::CutOff);
        error.partial().unwrap().to_json()
    };
    let cut = read("It is wa", "length");
    assert_eq!(partial(cut.output::<String>().unwrap_err()), r#""It is wa""#);
    let accepting = Output::<String>::new().with_truncated();
    assert_eq!(cut.output_of(&accepting).unwrap(), "It is wa");
    assert_eq!(partial(read("12", "length").output::<u64>().unwrap_err()), "12");
    let cut = read(r#"["a", "b"#, "length");
    assert_eq!(partial(cut.output::<Vec<String>>().unwrap_err()), r#"["a", "b"]"#);
    assert_eq!(read(r#"["a", "b"]"#, "length").output::<Vec<String>>().unwrap(), ["a", "b"]);
    assert_eq!(read("It is warm", "stop").output::<String>().unwrap(), "It is warm");
}
