//! Lists that leave out the items that do not fit, and report them.

use prompty_core::value::Value;
use prompty_output::output::{
    Leniency, LenientList, Output, OutputErrorKind, Parsed, Partial, RepairKind,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct City {
    name: String,
    #[schemars(range(min = 1))]
    people: u32,
    #[serde(default)]
    rivers: LenientList<String>,
}

/// The places and the reasons of the items that were left out.
fn skipped<T>(parsed: &Parsed<T>) -> Vec<(String, String)> {
    let skipped = parsed.repairs.iter().filter(|it| it.kind() == RepairKind::SkippedItem);
    skipped.map(|it| (it.path().unwrap().to_string(), it.reason().unwrap().to_owned())).collect()
}

fn names(list: &LenientList<City>) -> Vec<&str> {
    list.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn items_that_do_not_fit_are_left_out_and_reported() {
    let reply = r#"[{"name": "Bonn", "people": "330000"}, {"name": 5, "people": 1}, "Rome",
        {"name": "Atlantis", "people": 0},
        {"name": "Ulm", "people": 7, "rivers": ["Danube", 7, "Blau"]}]"#;
    let output = Output::<LenientList<City>>::new();
    let parsed = output.parse(reply).unwrap();
    assert_eq!(names(&parsed.value), ["Bonn", "Ulm"]);
    assert_eq!(*parsed.value[1].rivers, ["Danube", "Blau"]);
    let expected = [
        ("[1]", "at name: expected a string, found 5"),
        ("[2]", "expected an object, found \"Rome\""),
        ("[3]", "at people: must be at least 1, found 0"),
        ("[4].rivers[1]", "expected a string, found 7"),
    ];
    let expected = expected.map(|(path, reason)| (path.to_owned(), reason.to_owned()));
    assert_eq!(skipped(&parsed), expected);
    assert!(parsed.repairs.iter().any(|it| it.kind() == RepairKind::NumberInText));

    // The same in a stream, and without a Rust type.
    let mut stream = output.stream();
    reply.split_inclusive(' ').for_each(|piece| drop(stream.push(piece)));
    assert_eq!(stream.finish().unwrap(), parsed);
    let parsed = Output::from_schema(output.schema().clone()).parse(reply).unwrap();
    assert_eq!(skipped(&parsed), expected);
}

#[test]
fn a_list_that_fits_has_no_repairs() {
    let output = Output::<LenientList<City>>::new();
    let parsed = output.parse(r#"[{"name": "Bonn", "people": 330000}]"#).unwrap();
    assert_eq!((names(&parsed.value), parsed.repairs.len()), (vec!["Bonn"], 0));
    assert_eq!(output.parse("[]").unwrap().value, LenientList::default());
    assert!(output.parse("none").is_err());
}

#[test]
fn other_lists_of_the_type_stay_strict() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only errors are checked")]
    struct Answer {
        numbers: Vec<u8>,
        notes: LenientList<u8>,
    }
    let output = Output::<Answer>::new();
    let error = output.parse(r#"{"numbers": [1, "x"], "notes": ["x"]}"#).unwrap_err();
    assert_eq!(error.to_string(), "at numbers[1]: expected an integer, found \"x\"");
    assert_eq!(skipped(&output.parse(r#"{"numbers": [], "notes": ["x"]}"#).unwrap()).len(), 1);
}

#[test]
fn limits_of_the_list_hold_for_the_items_that_fit() {
    let schema =
        r#"{"type": "array", "minItems": 2, "items": {"type": "integer"}, "x-lenient": true}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    assert_eq!(output.parse("[1, true, 2]").unwrap().value.to_json(), "[1, 2]");
    let error = output.parse("[1, true]").unwrap_err();
    assert_eq!(error.kind(), OutputErrorKind::Misfit);
}

#[test]
fn the_last_item_of_a_truncated_reply_is_left_out_if_it_does_not_fit() {
    let output = Output::<LenientList<City>>::new();
    let reply = r#"[{"name": "Bonn", "people": 330000}, {"name": "Ro"#;
    let error = output.parse(reply).unwrap_err();
    assert_eq!(error.kind(), OutputErrorKind::CutOff);
    assert_eq!(error.partial().unwrap().deserialize::<Vec<City>>().unwrap().len(), 1);
    let parsed = output.with_truncated().parse(reply).unwrap();
    assert_eq!((names(&parsed.value), parsed.truncated), (vec!["Bonn"], true));
    assert_eq!(skipped(&parsed).len(), 1);
}

#[test]
fn an_alternative_without_left_out_items_is_preferred() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Either {
        Numbers(LenientList<u8>),
        Texts(LenientList<String>),
    }
    let output = Output::<Either>::new();
    let texts = output.parse(r#"["a", 1, "b"]"#).unwrap();
    assert_eq!(texts.value, Either::Texts(vec!["a".to_owned(), "b".to_owned()].into()));
    assert_eq!(skipped(&texts).len(), 1);
    assert_eq!(output.parse("[1, true, 2]").unwrap().value, Either::Numbers(vec![1, 2].into()));
}

#[test]
fn items_grow_while_they_arrive() {
    let mut stream = Output::<LenientList<String>>::new().stream().with_partial();
    stream.push(r#"["red", "gre"#);
    let Partial::Growing(colours) = stream.partial() else { panic!("the list is open") };
    assert_eq!((colours[0].done().unwrap().as_str(), colours[1].text()), ("red", "gre"));
    stream.push(r#"en", 7, "blue"]"#);
    stream.end();
    assert_eq!(**stream.partial().done().unwrap(), ["red", "green", "blue"]);
}

#[test]
fn the_keyword_is_not_sent_to_a_strict_mode() {
    let output = Output::<LenientList<City>>::new().with_leniency(Leniency::Exact);
    let sent = output.sent().plain().unwrap();
    assert!(sent.get("properties").is_some(), "{sent}");
    for dialect in [Default::default(), prompty_core::schema::shape::StrictDialect::Anthropic] {
        assert!(!output.strict_schema(dialect).unwrap().to_json().contains("x-lenient"));
    }
    assert!(!output.requirement().unwrap().to_string().contains("lenient"));
}
