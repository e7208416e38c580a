//! The headers of requests, and the retry headers of answers.

use std::time::{Duration, SystemTime};

use prompty_wire::{Protocol, retry_after};

/// The headers of a request, one per line.
fn headers(protocol: Protocol, key: Option<&str>) -> String {
    protocol.headers(key).map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// The delay from these headers, at the first second of 1970.
fn delay(headers: &[(&str, &str)]) -> Option<Duration> {
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
fn white_space_around_the_key_is_removed() {
    let text = headers(Protocol::OpenAiChat, Some("sk-1\n"));
    assert!(text.ends_with("Bearer sk-1\n"), "{text}");
}

#[test]
fn a_delay_is_a_number_of_seconds() {
    assert_eq!(delay(&[("retry-after", "20")]), Some(Duration::from_secs(20)));
    assert_eq!(delay(&[("retry-after", " 1.5 ")]), Some(Duration::from_millis(1_500)));
    assert_eq!(delay(&[("retry-after", "0")]), Some(Duration::ZERO));
}

#[test]
fn a_delay_in_milliseconds_takes_precedence() {
    let both = [("retry-after", "1"), ("retry-after-ms", "742")];
    assert_eq!(delay(&both), Some(Duration::from_millis(742)));
    let broken = [("retry-after", "1"), ("retry-after-ms", "soon")];
    assert_eq!(delay(&broken), Some(Duration::from_secs(1)));
}

#[test]
fn a_delay_lasts_until_a_date() {
    let date = [("retry-after", "Thu, 01 Jan 1970 00:01:30 GMT")];
    assert_eq!(delay(&date), Some(Duration::from_secs(90)));

    let later = SystemTime::UNIX_EPOCH + Duration::from_secs(3_600);
    let date = |name: &str| (name == "retry-after").then_some("Thu, 01 Jan 1970 00:01:30 GMT");
    assert_eq!(retry_after(date, later), Some(Duration::ZERO));
}

#[test]
fn other_values_give_no_delay() {
    for text in ["", "soon", "-1", "NaN", "inf", "1e400", "1 minute", "Thu, 01 Jan"] {
        assert_eq!(delay(&[("retry-after", text)]), None, "{text}");
    }
    assert_eq!(delay(&[]), None);
}
