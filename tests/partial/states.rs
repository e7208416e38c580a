//! The states of a partial value after each piece of a reply.

use std::collections::BTreeMap;

use typed_prompty::output::{
    Leniency, Output, OutputErrorKind, OutputEvent, Partial, PartialStream,
};
use typed_prompty::{Prompt, Value, prompt};

#[derive(Debug, Clone, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(derive(Clone, PartialEq))]
struct Answer {
    title: String,
    tags: Vec<String>,
    author: Option<Author>,
    score: f64,
}

#[derive(Debug, Clone, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(derive(Clone, PartialEq))]
struct Author {
    name: String,
    mood: Option<Mood>,
}

#[derive(Debug, Clone, Copy, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mood {
    Calm,
    Angry,
}

fn stream() -> PartialStream<Answer> {
    Output::<Answer>::new().stream().with_partial()
}

fn fields(stream: &PartialStream<Answer>) -> PartialAnswer {
    stream.partial().growing().expect("the answer is not complete").clone()
}

#[test]
fn each_field_is_absent_growing_or_done() {
    let mut stream = stream();
    assert!(stream.partial().is_absent());
    stream.push(r#"Sure: {"title": "On pro"#);
    assert_eq!(fields(&stream).title, Partial::Growing("On pro".to_owned()));
    assert!(fields(&stream).tags.is_absent());
    stream.push(r#"mpts", "tags": ["rust", "lla"#);
    assert_eq!(fields(&stream).title, Partial::Done("On prompts".to_owned()));
    let tags = fields(&stream).tags;
    assert_eq!(tags.growing().unwrap().len(), 2);
    assert_eq!(tags.growing().unwrap()[0].done().unwrap(), "rust");
    assert_eq!(tags.growing().unwrap()[1].text(), "lla");
    stream.push(r#"ma"], "author": {"mood": "Calm", "name": "A"#);
    let author = fields(&stream).author;
    let author = author.growing().unwrap();
    assert_eq!(author.name.text(), "A");
    assert_eq!(author.mood.done().unwrap(), &Some(Mood::Calm));
    stream.push(r#""}, "score": 1"#);
    assert!(fields(&stream).score.is_absent(), "the number may grow");
    stream.push("2.5}");
    let complete = stream.partial().done().unwrap().clone();
    assert_eq!((complete.score, complete.tags.len()), (12.5, 2));
    assert_eq!(stream.finish().unwrap().value, complete);
}

#[test]
fn a_field_is_converted_like_the_complete_value() {
    let reply = r#"{"score": "12", "title": "#;
    let mut stream = stream();
    stream.push(reply);
    assert_eq!(fields(&stream).score, Partial::Done(12.0));
    let exact = Output::<Answer>::new().with_leniency(Leniency::Exact);
    let mut stream = exact.stream().with_partial();
    stream.push(r#"{"title": "a", "score": "12", "#);
    assert_eq!(fields(&stream).score, Partial::Absent);
}

#[test]
fn a_value_of_a_wrong_type_is_never_done() {
    let mut stream = stream();
    stream.push(r#"{"title": "a", "score": "many", "tags": [["#);
    assert_eq!(fields(&stream).score, Partial::Absent);
    stream.push(r#""deep"], "flat"]}"#);
    let tags = fields(&stream).tags;
    assert_eq!(tags.growing().unwrap()[0], Partial::Absent);
    assert_eq!(tags.growing().unwrap()[1], Partial::Done("flat".to_owned()));
    assert!(stream.finish().is_err());
}

#[test]
fn a_key_in_another_spelling_grows_and_is_done_with_its_object() {
    let mut stream = stream();
    stream.push(r#"{"Title": "On prompts", "Score": 5, "#);
    assert_eq!(fields(&stream).title, Partial::Growing("On prompts".to_owned()));
    assert_eq!(fields(&stream).score, Partial::Absent);
    // The exact key takes precedence, wherever it appears.
    stream.push(r#""title": "Real", "tags": []"#);
    assert_eq!(fields(&stream).title, Partial::Done("Real".to_owned()));
    stream.push("}");
    assert_eq!(stream.partial().done().unwrap().title, "Real");
}

#[test]
fn other_spellings_after_the_exact_key_do_not_change_its_value() {
    let mut stream = stream();
    stream.push(r#"{"title": "Real", "Title": "a", "TITLE": "b", "#);
    assert_eq!(fields(&stream).title, Partial::Done("Real".to_owned()));
}

#[test]
fn the_later_value_of_a_duplicate_key_is_reported_after_a_restart() {
    let mut stream = stream();
    stream.push(r#"{"title": "a", "score": 1, "title": "b", "#);
    assert_eq!(fields(&stream).title, Partial::Done("a".to_owned()));
    let events = stream.push(r#""tags": []}"#);
    assert!(events.contains(&OutputEvent::Restarted));
    assert_eq!(stream.partial().done().unwrap().title, "b");
    assert_eq!(stream.finish().unwrap().value.title, "b");
}

#[test]
fn a_better_value_later_in_the_reply_replaces_the_first() {
    let mut stream = stream();
    stream.push("Not {\"title\": \"a\"}, but {\"title\": \"b\", \"score\": 1, \"tags\": []}");
    assert_eq!(fields(&stream).title, Partial::Done("a".to_owned()));
    assert!(stream.end().contains(&OutputEvent::Restarted));
    assert_eq!(stream.partial().done().unwrap().title, "b");
}

#[test]
fn a_truncated_reply_is_done_only_if_truncated_replies_are_accepted() {
    let reply = r#"{"score": 1, "tags": [], "title": "On pro"#;
    let mut stream = stream();
    stream.push(reply);
    stream.end();
    assert_eq!(fields(&stream).title, Partial::Growing("On pro".to_owned()));
    assert_eq!(stream.finish().unwrap_err().kind(), OutputErrorKind::CutOff);
    let mut stream = Output::<Answer>::new().with_truncated().stream().with_partial();
    stream.push(reply);
    stream.end();
    assert_eq!(stream.partial().done().unwrap().title, "On pro");
    assert!(stream.finish().unwrap().truncated);
}

#[test]
fn a_string_grows_without_reasoning_and_without_its_fence() {
    let replies = [
        ("<think>Hm.</think>\n\nHello,\n  you! ", "Hello,\n  you!"),
        ("```markdown\n# Hi\n\nyou\n```\n", "# Hi\n\nyou"),
        ("```rust\nfn f() {}\n```\nThat is it.", "```rust\nfn f() {}\n```\nThat is it."),
        ("```rust\nfn f() {", "```rust\nfn f() {"),
        ("``` is a fence", "``` is a fence"),
    ];
    for (reply, expected) in replies {
        let mut stream = Output::<String>::new().stream().with_partial();
        let mut shown = Vec::new();
        for character in reply.chars() {
            stream.push(&character.to_string());
            shown.push(stream.partial().text().to_owned());
        }
        assert!(shown.windows(2).filter(|it| !it[1].starts_with(&it[0])).count() <= 1, "{shown:?}");
        stream.end();
        assert_eq!(stream.partial().done().unwrap(), expected);
        assert_eq!(stream.finish().unwrap().value, expected);
    }
}

#[test]
fn a_number_is_done_alone_or_inside_an_object() {
    let mut stream = Output::<i32>::new().stream().with_partial();
    stream.push(r#"{"value": 42"#);
    assert!(stream.partial().is_absent());
    stream.push(r#", "reply": "It is"#);
    assert_eq!(stream.partial().done(), Some(&42));

    let mut stream = Output::<i32>::new().stream().with_partial();
    stream.push("42");
    stream.end();
    assert_eq!(stream.partial().done(), Some(&42));
}

#[test]
fn maps_grow_in_the_order_of_the_reply() {
    let mut stream = Output::<BTreeMap<String, Vec<u8>>>::new().stream().with_partial();
    stream.push(r#"{"z": [1, 2], "a": [3, "#);
    let map = stream.partial().growing().unwrap();
    let keys: Vec<&str> = map.iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["z", "a"]);
    assert_eq!(map.get("z").unwrap().done().unwrap(), &[1, 2]);
    assert_eq!(map.get("a").unwrap().growing().unwrap().len(), 1);
}

#[test]
fn untyped_values_grow_as_they_are_written() {
    let schema = Value::from_json(r#"{"type": "object", "additionalProperties": true}"#).unwrap();
    let mut stream = Output::from_schema(schema).stream().with_partial();
    stream.push(r#"{"a": [1, {"b": "te"#);
    let growing = stream.partial().growing().unwrap();
    assert_eq!(growing.to_value().to_json(), r#"{"a": [1, {"b": "te"}]}"#);
}

#[test]
fn the_stream_of_a_prompt_also_has_partial_values() {
    prompt!(
        #[prompt(output = Author)]
        Who { book: &str },
        "user:\nWho wrote {{ book }}?\n{{ output_requirement }}"
    );
    assert!(Who { book: "it" }.messages().is_ok());
    let mut stream = Who::stream();
    stream.push(r#"{"name": "A"#);
    // The partial value includes the text before this call.
    let mut stream = stream.with_partial();
    stream.push("da");
    assert_eq!(stream.partial().growing().unwrap().name.text(), "Ada");
}
