//! The headers of requests, and what those of answers say about trying again.

use std::time::{Duration, SystemTime};

use prompty_wire::{Protocol, retry_after};

/// The headers of a request, one a line.
fn headers(protocol: Protocol, key: Option<&str>) -> String {
    protocol.headers(key).map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// How long to wait by these headers, at the first second of 1970.
fn wait(headers: &[(&str, &str)]) -> Option<Duration> {
    let header = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1);
    retry_after(header, SystemTime::UNIX_EPOCH)
}

#[test]
fn each_protocol_has_the_headers_that_its_providers_demand() {
    let bearer = "content-type: application/json\nauthorization: Bearer sk-1\n";
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiCompatible, Protocol::OpenAiResponses] {
        assert_eq!(headers(protocol, Some("sk-1")), bearer);
    }
    let anthropic =
        "content-type: application/json\nanthropic-version: 2023-06-01\nx-api-key: sk-1\n";
    assert_eq!(headers(Protocol::AnthropicMessages, Some("sk-1")), anthropic);
}

#[test]
fn without_a_key_none_is_sent() {
    for key in [None, Some(""), Some(" \n")] {
        let local = headers(Protocol::OpenAiCompatible, key);
        assert_eq!(local, "content-type: application/json\n", "{key:?}");
    }
}

#[test]
fn the_line_break_of_a_file_is_no_part_of_the_key() {
    let text = headers(Protocol::OpenAiChat, Some("sk-1\n"));
    assert!(text.ends_with("Bearer sk-1\n"), "{text}");
}

#[test]
fn a_wait_is_a_number_of_seconds() {
    assert_eq!(wait(&[("retry-after", "20")]), Some(Duration::from_secs(20)));
    assert_eq!(wait(&[("retry-after", " 1.5 ")]), Some(Duration::from_millis(1_500)));
    assert_eq!(wait(&[("retry-after", "0")]), Some(Duration::ZERO));
}

#[test]
fn a_wait_in_milliseconds_is_more_exact() {
    let both = [("retry-after", "1"), ("retry-after-ms", "742")];
    assert_eq!(wait(&both), Some(Duration::from_millis(742)));
    let broken = [("retry-after", "1"), ("retry-after-ms", "soon")];
    assert_eq!(wait(&broken), Some(Duration::from_secs(1)));
}

#[test]
fn a_wait_is_until_a_date() {
    let date = [("retry-after", "Thu, 01 Jan 1970 00:01:30 GMT")];
    assert_eq!(wait(&date), Some(Duration::from_secs(90)));

    let later = SystemTime::UNIX_EPOCH + Duration::from_secs(3_600);
    let date = |name: &str| (name == "retry-after").then_some("Thu, 01 Jan 1970 00:01:30 GMT");
    assert_eq!(retry_after(date, later), Some(Duration::ZERO));
}

#[test]
fn what_is_no_wait_says_nothing() {
    for text in ["", "soon", "-1", "NaN", "inf", "1e400", "1 minute", "Thu, 01 Jan"] {
        assert_eq!(wait(&[("retry-after", text)]), None, "{text}");
    }
    assert_eq!(wait(&[]), None);
}
