//! The text that shows a shape to a model, and the formats that are asked for.
#![cfg(feature = "schema")]
#![allow(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

use prompty_core::schema::shape::{OutputFormat, Requirement, Shape};

fn field(shape: Shape) -> String {
    let text = Shape::object([("a", shape)]).requirement();
    text.strip_prefix("{\n  \"a\": ").unwrap().strip_suffix("\n}").unwrap().to_owned()
}

#[test]
fn a_description_stays_in_its_comment() {
    let text = field(Shape::text().described("first\nsecond\r\n\u{2028} third"));
    assert_eq!(text, "<str> // first second third");
}

#[test]
fn a_key_is_written_as_json() {
    let shape = Shape::object([("say \"hi\"\n", Shape::text())]);
    assert_eq!(shape.requirement(), "{\n  \"say \\\"hi\\\"\\n\": <str>\n}");
}

#[test]
fn types_without_lines_are_written_in_one() {
    let list = || Shape::list_of(Shape::text());
    assert_eq!(field(Shape::one_of([list(), Shape::null()])), "<list[str] | NoneType>");
    assert_eq!(field(list().inline()), "<list[str]>");
    assert_eq!(field(Shape::map_of(Shape::integer())), "<dict[str, int]>");
    let pair = Shape::tuple([Shape::text(), Shape::number()]);
    assert_eq!(field(pair.inline()), "<tuple[str, float]>");
}

#[test]
fn alternatives_with_lines_stand_beside_each_other() {
    let circle = Shape::object([("radius", Shape::number())]).described("round");
    let text = field(Shape::one_of([circle, Shape::null()]).described("a shape"));
    assert_eq!(text, "{\n    \"radius\": <float>\n  } // round\n  | <NoneType> // a shape");
}

#[test]
fn other_keys_are_shown_where_something_is_said_of_them() {
    let shape = Shape::object([("id", Shape::integer())]);
    let with = shape.clone().with_others(Shape::text().described("a note"));
    assert_eq!(with.requirement(), "{\n  \"id\": <int>,\n  \"<str>\": <str>, // a note\n  ...\n}");
    assert_eq!(shape.clone().with_others(Shape::any()).requirement(), shape.requirement());
}

#[test]
fn values_that_could_be_mistaken_have_quotes() {
    let shape = Shape::literals(["red", "a, b", "", "1", "true", "dark blue"]);
    assert_eq!(field(shape), r#"<Literal[red, "a, b", "", "1", "true", dark blue]>"#);
}

#[test]
fn shapes_with_one_name_are_told_apart() {
    let node = |leaf| {
        let children = Shape::list_of(Shape::reference("Node"));
        Shape::recursive("Node", Shape::object([("leaf", leaf), ("children", children)]))
    };
    let shape = Shape::object([
        ("first", node(Shape::text())),
        ("second", node(Shape::integer())),
        ("third", node(Shape::text())),
    ]);
    let text = shape.requirement();
    assert!(text.contains("\"first\": <Node>,\n  \"second\": <Node2>,\n  \"third\": <Node>\n"));
    assert_eq!(text.matches("<Node>:").count(), 1);
    assert_eq!(text.matches("<Node2>:").count(), 1);
}

#[test]
fn a_value_without_structure_is_asked_for_with_a_reply() {
    let requirement = Requirement::of(Shape::integer());
    assert_eq!(*requirement.format(), OutputFormat::Json);
    assert_eq!(
        requirement.shape().requirement(),
        "{\n  \"value\": <int>,\n  \"reply\": <str> // Reply according the result value\n}"
    );
    let as_it_is = Requirement::new(Shape::integer(), OutputFormat::Json);
    assert_eq!(as_it_is.shape().requirement(), "<int>");
}

#[test]
fn a_text_needs_no_words() {
    let requirement = Requirement::new(Shape::text(), OutputFormat::Text);
    assert_eq!(requirement.to_string(), "");
}

#[test]
fn formats_of_the_newer_release_are_errors_that_name_them() {
    let error = OutputFormat::from_name("hybrid").unwrap_err();
    assert_eq!(error.to_string(), "the output format `hybrid` is not supported");
    assert_eq!(error.help(), Some("write `json`, `markdown` or `text`"));
}
