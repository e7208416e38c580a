//! Replies that end inside of the value: an error with the received part, unless they are accepted.

use prompty_output::output::{Output, OutputErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Note {
    title: String,
    tags: Vec<String>,
    done: Option<bool>,
}

#[test]
fn a_truncated_reply_is_an_error_with_the_received_part() {
    let output = Output::<Note>::new();
    let reply = r#"{"title": "On prompts", "tags": ["a", "b"#;
    let error = output.parse(reply).unwrap_err();
    assert_eq!(error.kind(), OutputErrorKind::CutOff);
    assert!(error.is_truncated() && error.path().steps().is_empty());
    assert_eq!(error.to_string(), "the reply ended before the value was complete");
    let partial: Note = error.partial().unwrap().deserialize().unwrap();
    assert_eq!(partial.tags, ["a", "b"]);
    let mut stream = output.stream();
    stream.push(reply);
    assert_eq!(stream.finish().unwrap_err().to_string(), error.to_string());
}

#[test]
fn a_truncated_value_that_lacks_a_field_keeps_what_arrived() {
    let error = Output::<Note>::new().parse(r#"{"title": "On pro"#).unwrap_err();
    assert_eq!(error.kind(), OutputErrorKind::Misfit);
    let message = "at tags: expected an array, found nothing; \
                   the reply ended before the value was complete";
    assert_eq!(error.to_string(), message);
    assert_eq!(error.partial().unwrap().to_json(), r#"{"title": "On pro"}"#);
    let error = Output::<Note>::new().with_truncated().parse(r#"{"title": "On pro"#).unwrap_err();
    assert_eq!(error.kind(), OutputErrorKind::Misfit);
}

#[test]
fn a_truncated_reply_is_accepted_on_request() {
    let output = Output::<Note>::new().with_truncated();
    let parsed = output.parse(r#"{"title": "On prompts", "tags": ["a", "b"#).unwrap();
    assert!(parsed.truncated);
    assert_eq!(parsed.value.tags, ["a", "b"]);
    let parsed = output.parse(r#"{"title": "On prompts", "tags": []}"#).unwrap();
    assert!(!parsed.truncated);
}

#[test]
fn a_complete_value_has_no_partial() {
    let error = Output::<Note>::new().parse(r#"{"title": "On prompts"}"#).unwrap_err();
    assert_eq!((error.is_truncated(), error.partial()), (false, None));
}
