//! Tests of answers in a wrapper object, which a provider requires around values that are not
//! objects.

use prompty_core::value::Value;
use prompty_output::output::{Answer, Output, OutputErrorKind, OutputEvent};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Step {
    Wait { seconds: u8 },
    Say { words: String },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Named { name: Option<String> },
    Many(Vec<u8>),
    Number(u8),
}

/// A type that has the key of the wrapper object itself.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Own {
    Valued { value: u8 },
    Number(u8),
}

fn wait(seconds: u8) -> Step {
    Step::Wait { seconds }
}

#[test]
fn a_list_and_a_union_are_read_with_and_without_a_wrapper() {
    let list = Output::<Vec<u8>>::new();
    for reply in ["[1, 2]", r#"{"value": [1, 2]}"#, " {\n\"value\" :[1,2] }\n"] {
        assert_eq!(list.parse(reply).unwrap().value, [1, 2], "{reply}");
    }
    let step = Output::<Step>::new();
    let alone = r#"{"kind": "wait", "seconds": 3}"#;
    for reply in [alone.to_owned(), format!(r#"{{"value":{alone}}}"#)] {
        assert_eq!(step.parse(&reply).unwrap().value, wait(3), "{reply}");
    }
}

#[test]
fn a_wrapper_is_not_a_variant_of_an_untagged_union() {
    let output = Output::<Loose>::new();
    let read = |reply: &str| output.parse(reply).unwrap().value;
    assert_eq!(read(r#"{"value": [1]}"#), Loose::Many(vec![1]));
    assert_eq!(read(r#"{"value": 7}"#), Loose::Number(7));
    assert_eq!(read(r#"{"value": {"name": "Ada"}}"#), Loose::Named { name: Some("Ada".into()) });
    assert_eq!(read(r#"{"name": "Ada"}"#), Loose::Named { name: Some("Ada".into()) });
}

#[test]
fn a_key_of_the_type_is_not_the_key_of_the_wrapper() {
    let output = Output::<Own>::new();
    let read = |reply: &str| output.parse(reply).unwrap().value;
    assert_eq!(read(r#"{"value": 3}"#), Own::Valued { value: 3 });
    assert_eq!(read(r#"{"value_": {"value": 3}}"#), Own::Valued { value: 3 });
    assert_eq!(read(r#"{"value_": 3}"#), Own::Number(3));
}

#[test]
fn an_answer_in_a_wrapper_may_be_damaged_truncated_or_after_prose() {
    let output = Output::<Vec<Step>>::new().with_truncated();
    let entry = r#"{"kind": "wait", "seconds": "3",}"#;
    for reply in [
        format!(r#"{{"value": [{entry}]}}"#),
        format!(r#"{{"value": [{entry}"#),
        format!("Here it is:\n```json\n{{\"value\": [{entry}]}}\n```"),
        format!(r#"{{"value": [{entry}], "reply": "Three seconds."}}"#),
    ] {
        let parsed = output.parse(&reply).unwrap();
        assert_eq!(parsed.value, [wait(3)], "{reply}");
        assert!(!parsed.repairs.is_empty(), "{reply}");
    }
}

#[test]
fn an_error_has_its_place_in_the_type() {
    let output = Output::<Vec<u8>>::new();
    for reply in ["[1, true]", r#"{"value": [1, true]}"#] {
        let error = output.parse(reply).unwrap_err();
        assert_eq!(error.to_string(), "at [1]: expected an integer, found true", "{reply}");
    }
    let value = Value::from_json(r#"{"value": [1, 2]}"#).unwrap();
    assert_eq!(output.fit(&value).unwrap().value, [1, 2]);
}

/// The reader checks constraints that providers' strict schemas cannot express.
#[test]
fn an_answer_outside_of_the_range_in_its_description_does_not_fit() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only errors are checked")]
    struct Bounded {
        #[schemars(range(min = 1, max = 5))]
        urgency: u8,
        #[schemars(length(min = 2))]
        tags: Vec<String>,
        #[schemars(length(max = 3))]
        code: String,
    }
    let output = Output::<Bounded>::new();
    let cases = [
        (r#"{"urgency": 256, "tags": ["a", "b"], "code": "x"}"#, "urgency"),
        (r#"{"urgency": 6, "tags": ["a", "b"], "code": "x"}"#, "urgency"),
        (r#"{"urgency": 5, "tags": ["a"], "code": "x"}"#, "tags"),
        (r#"{"urgency": 5, "tags": ["a", "b"], "code": "long"}"#, "code"),
    ];
    for (reply, place) in cases {
        let error = output.parse(reply).unwrap_err();
        assert_eq!(error.kind(), OutputErrorKind::Misfit, "{reply}");
        assert_eq!(error.path().to_string(), place, "{reply}");
    }
    assert!(output.parse(r#"{"urgency": 5, "tags": ["a", "b"], "code": "abc"}"#).is_ok());
}

fn describe(events: Vec<OutputEvent>) -> String {
    let described = events.into_iter().map(|event| match event {
        OutputEvent::Text { path, delta } => format!("{path}+{delta}"),
        OutputEvent::Done { path, value } => format!("{path}={}", value.to_json()),
        other => format!("{other:?}"),
    });
    described.collect::<Vec<_>>().join("|")
}

/// The events of a stream do not depend on a wrapper, however the reply is split.
#[test]
fn a_stream_reports_the_value_without_its_wrapper() {
    let output = Output::<Vec<Step>>::new();
    let alone = r#"[{"kind": "say", "words": "a}]"}, {"kind": "wait", "seconds": 2}]"#;
    let inside = format!("{{ \"value\": {alone} }}");
    let done = |reply: &str, cut: usize| {
        let mut stream = output.stream();
        let mut events = Vec::new();
        for piece in [&reply[..cut], &reply[cut..]] {
            events.extend(stream.push(piece));
        }
        events.extend(stream.end());
        events.retain(|event| matches!(event, OutputEvent::Done { .. } | OutputEvent::Restarted));
        (describe(events), stream.finish().unwrap().value)
    };
    let (events, value) = done(alone, 0);
    assert!(events.contains(r#"[0].words="a}]""#), "{events}");
    for cut in 0..inside.len() {
        assert_eq!(
            done(&inside, cut),
            (events.clone(), vec![Step::Say { words: "a}]".into() }, wait(2)])
        );
    }
    assert_eq!(value.len(), 2);
}

#[test]
fn a_stream_that_ends_in_its_beginning_is_an_error() {
    let output = Output::<Step>::new();
    let mut stream = output.stream();
    assert_eq!(stream.push(r#"{"val"#), []);
    assert!(stream.finish().is_err());
}

/// The message about a reply that does not fit, read at once, in pieces and as a value.
fn misfit<T: Answer>(reply: &str) -> String {
    let output = Output::<T>::new();
    let message = output.parse(reply).err().unwrap().to_string();
    let mut stream = output.stream();
    reply.split_inclusive(|_| true).for_each(|piece| drop(stream.push(piece)));
    assert_eq!(stream.finish().err().unwrap().to_string(), message, "{reply}");
    if let Ok(value) = Value::from_json(reply) {
        assert_eq!(output.fit(&value).err().unwrap().to_string(), message, "{reply}");
    }
    message
}

#[test]
fn an_error_of_a_scalar_says_what_was_found_and_expected() {
    assert_eq!(misfit::<u8>("300"), "must be at most 255, found 300");
    assert_eq!(misfit::<u32>("-1"), "must be at least 0, found -1");
    assert_eq!(misfit::<u8>("```\n300\n```"), "must be at most 255, found 300");
    assert_eq!(misfit::<bool>("abc"), "expected `true` or `false`, found \"abc\"");
    assert_eq!(misfit::<bool>("\"abc\""), "expected `true` or `false`, found \"abc\"");
    assert_eq!(misfit::<i64>("7.5"), "expected an integer, found 7.5");
    assert_eq!(misfit::<Option<u8>>("300"), "must be at most 255, found 300");
    // In a reply object, the place is the key.
    assert_eq!(misfit::<u8>(r#"{"value": 300}"#), "at value: must be at most 255, found 300");
    assert_eq!(misfit::<u8>(""), "expected a JSON value, found none");
}
