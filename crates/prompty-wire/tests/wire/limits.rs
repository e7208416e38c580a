//! The errors of answers that exceed a limit say which one, and what to do.

use prompty_wire::{Images, Protocol, WireError, WireErrorKind};

/// The help of an answer with too many items.
const FEWER: &str = "request a shorter answer, or fewer choices or images";

#[track_caller]
fn check(error: &WireError, message: &str, help: &str) {
    assert_eq!(error.kind(), WireErrorKind::Unreadable, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(error.help(), Some(help), "{error}");
}

/// The error of a body with a list, in the place of `@`, and of the same body in a stream.
fn errors(protocol: Protocol, body: &str, list: &str) -> [WireError; 2] {
    let body = body.replace('@', list);
    let mut stream = protocol.reader();
    stream.push(&body);
    [protocol.read(200, body.as_bytes()).unwrap_err(), stream.finish().unwrap_err()]
}

#[test]
fn too_many_items_or_parts_are_an_error_that_says_so() {
    let items = vec!["{}"; 5000].join(",");
    let parts = vec![r#"{"type":"output_text","text":"a"}"#; 1000].join(",");
    let messages = vec![format!(r#"{{"type":"message","content":[{parts}]}}"#); 5].join(",");
    for (protocol, body, list, message) in [
        (Protocol::OpenAiChat, r#"{"choices":[@]}"#, &items, "more than 1024 items in an array"),
        (
            Protocol::OpenAiChat,
            r#"{"choices":[{"message":{"content":"a","tool_calls":[@]}}]}"#,
            &items,
            "more than 1024 items in an array",
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"type":"response.completed","response":{"output":[@]}}"#,
            &items,
            "more than 1024 items in an array",
        ),
        (
            Protocol::OpenAiResponses,
            r#"{"type":"response.completed","response":{"output":[@]}}"#,
            &messages,
            "more than 4096 parts in a response",
        ),
    ] {
        errors(protocol, body, list).iter().for_each(|error| check(error, message, FEWER));
    }
    let images = format!(r#"{{"data":[{items}]}}"#);
    let error = Images::read(200, images.as_bytes()).unwrap_err();
    check(&error, "more than 1024 items in an array", FEWER);
}

#[test]
fn too_many_choices_are_an_error_that_says_how_they_count() {
    let choice = |index| format!(r#"{{"index":{index},"message":{{"content":"a"}}}}"#);
    let choices = (0..200).map(choice).collect::<Vec<_>>().join(",");
    for error in errors(Protocol::OpenAiChat, r#"{"choices":[@]}"#, &choices) {
        check(&error, "calls and other items; a choice counts as 8", FEWER);
    }
}

#[test]
fn a_value_that_is_nested_too_deeply_is_an_error_that_names_the_limit() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let body = r#"{"choices":[{"finish_reason":"tool_calls","message":{"content":"a","tool_calls":[{"id":"c","function":{"name":"f"},"extra_content":@}]}}]}"#;
    for error in errors(Protocol::OpenAiChat, body, &deep) {
        let help = "use the reply in `partial()`, which does not have this value";
        check(&error, "nested more than 128 levels deep", help);
        assert_eq!(error.partial().unwrap().content(), "a");
    }
}

#[test]
fn a_complete_answer_that_is_too_long_is_not_said_to_end_early() {
    let mut stream = Protocol::OpenAiChat.reader();
    stream.push_bytes(b"{");
    let spaces = vec![b' '; 1 << 20];
    for _ in 0..65 {
        stream.push_bytes(&spaces);
    }
    assert!(stream.is_over());
    let error = stream.finish().unwrap_err();
    let help = "check that the URL and the protocol match, or request a shorter answer";
    check(&error, "the provider's answer is longer than 67108865 bytes", help);
}
