//! The shape of an answer put together part by part, and what slots hold as plain values.
#![cfg(feature = "slots")]
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use prompty_core::value::{Map, Value};
use prompty_runtime::slots::{Shape, Slot, SlotTool, Slots};

/// What a prompt shows of the answer's structure.
fn structure(slots: &Slots<'_>) -> String {
    let text = slots.to_text().unwrap();
    let (_, behind) = text.split_once("Data Structure:\n").unwrap();
    behind.split_once("\n\n[OUTPUT]:").unwrap().0.to_owned()
}

#[test]
fn a_shape_grows_by_set_append_and_update() {
    let mut slots = Slots::new().input("Hi").output(Shape::object([("title", Shape::text())]));
    slots.set("output.author.name", Shape::text().described("in full")).unwrap();
    slots.append("output.tags", "one of the known tags").unwrap();
    slots.append("output.tags", Shape::integer()).unwrap();
    let more = Value::from_json(r#"{"output": {"title": {"$type": "str", "$desc": "short"}}}"#);
    slots.update(more.unwrap().as_object().unwrap()).unwrap();
    assert_eq!(
        structure(&slots),
        r#"{
  "title": <str>, // short
  "author": {
    "name": <str> // in full
  },
  "tags": [
    <one of the known tags>,
    <int>,
    ...
  ]
}"#
    );
}

#[test]
fn the_last_word_on_the_answer_counts() {
    let shape = Shape::object([("a", Shape::text())]);
    let slots = Slots::new().input("Hi").output(shape.clone()).with(Slot::Output, ["int"]);
    assert_eq!(structure(&slots), "[\n  <int>,\n  ...\n]");
    assert_eq!(structure(&slots.output(shape)), "{\n  \"a\": <str>\n}");
}

#[test]
fn parts_of_a_childs_answer_are_joined_with_its_parents() {
    let agent = Slots::new().output(Shape::object([("a", Shape::text())]));
    let mut request = agent.child().input("Hi");
    request.set("output.b", Shape::number()).unwrap();
    assert_eq!(structure(&request), "{\n  \"a\": <str>,\n  \"b\": <float>\n}");
    assert_eq!(request.export().values().get("output").unwrap().to_json(), r#"{"b": "float"}"#);
}

#[test]
fn a_wrong_notation_is_told_with_its_slot_and_place() {
    let output = Value::from_json(r#"{"a": {"$type": "str", "$ensure": "yes"}}"#).unwrap();
    let error = Slots::new().input("Hi").with(Slot::Output, output.clone()).to_text().unwrap_err();
    let message = "in the slot `output`: at `a.$ensure`: expected `true`, `false` or `not_null`";
    assert_eq!(error.to_string(), message);
    let error = Slots::load(&Map::from([("output", output)])).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn what_was_exported_makes_the_same_prompt_once_it_is_loaded() {
    let parameters = Shape::object([("city", Shape::text().described("its name"))]);
    let tool = SlotTool::new("weather", "The weather in a city", parameters).with("cost", 2);
    let agent = Slots::new().system("Be brief.").info(["a"]).chat_history(["Hello"]).developer("x");
    let request = agent
        .child()
        .info(["b"])
        .chat_history(["Again"])
        .tool(tool)
        .hide(Slot::Developer)
        .with("style", Map::from([("tone", "calm\nand kind")]))
        .input("Where?")
        .output(Shape::list_of(Shape::literals(["here", "there"])));
    let exported = request.export_with_parents();
    let loaded = Slots::load(exported.values()).unwrap();
    assert_eq!(loaded.to_text().unwrap(), request.to_text().unwrap());
    assert_eq!(loaded.export_with_parents(), exported);
    // Alone, a child keeps what it hides.
    let own = request.export();
    assert!(own.values().get("developer").unwrap().is_null());
    assert!(own.values().get("system").is_none());
    assert_eq!(exported.values().get("developer"), None);
}
