//! Shapes of answers that are assembled from parts, and the export of slots.

use prompty_core::message::{ContentPart, Media, Message, Role, ToolCall, ToolResult};
use prompty_core::schema::shape::Shape;
use prompty_core::slots::{Layout, Slot, SlotTool, Slots};
use prompty_core::value::{Map, Value};
use proptest::prelude::*;

/// The structure of the answer in a prompt.
fn structure(slots: &Slots<'_>) -> String {
    let text = slots.to_text().unwrap();
    let (_, rest) = text.split_once("Data Structure:\n").unwrap();
    rest.split_once("\n\n[OUTPUT]:").unwrap().0.to_owned()
}

#[test]
fn a_shape_is_extended_by_set_append_and_update() {
    let mut slots =
        Slots::new().with_input("Hi").with_output(Shape::object([("title", Shape::text())]));
    slots.set("output.author.name", Shape::text().with_description("in full")).unwrap();
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
fn the_last_shape_of_the_answer_is_used() {
    let shape = Shape::object([("a", Shape::text())]);
    let slots =
        Slots::new().with_input("Hi").with_output(shape.clone()).with(Slot::Output, ["int"]);
    assert_eq!(structure(&slots), "[\n  <int>,\n  ...\n]");
    assert_eq!(structure(&slots.with_output(shape)), "{\n  \"a\": <str>\n}");
}

#[test]
fn parts_of_a_childs_answer_are_merged_with_its_parents() {
    let agent = Slots::new().with_output(Shape::object([("a", Shape::text())]));
    let mut request = agent.child().with_input("Hi");
    request.set("output.b", Shape::number()).unwrap();
    assert_eq!(structure(&request), "{\n  \"a\": <str>,\n  \"b\": <float>\n}");
    assert_eq!(request.export().values().get("output").unwrap().to_json(), r#"{"b": "float"}"#);
}

#[test]
fn an_invalid_notation_is_reported_with_its_slot_and_place() {
    let output = Value::from_json(r#"{"a": {"$type": "str", "$ensure": "yes"}}"#).unwrap();
    let error =
        Slots::new().with_input("Hi").with(Slot::Output, output.clone()).to_text().unwrap_err();
    let message = "in the slot `output`: at `a.$ensure`: expected `true`, `false` or `not_null`";
    assert_eq!(error.to_string(), message);
    let error = Slots::load(&Map::from([("output", output)])).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn exported_slots_make_the_same_prompt_after_loading() {
    let parameters = Shape::object([("city", Shape::text().with_description("its name"))]);
    let tool = SlotTool::new("weather", "The weather in a city", parameters).with("cost", 2);
    let agent = Slots::new()
        .with_system("Be brief.")
        .with_info(["a"])
        .with(Slot::ChatHistory, ["Hello"])
        .with(Slot::Developer, "x");
    let request = agent
        .child()
        .with_info(["b"])
        .with(Slot::ChatHistory, ["Again"])
        .with_tool(tool)
        .with_hidden(Slot::Developer)
        .with("style", Map::from([("tone", "calm\nand kind")]))
        .with_input("Where?")
        .with_output(Shape::list_of(Shape::literals(["here", "there"])));
    let exported = request.export_with_parents();
    let loaded = Slots::load(exported.values()).unwrap();
    assert_eq!(loaded.to_text().unwrap(), request.to_text().unwrap());
    assert_eq!(loaded.export_with_parents(), exported);
    // Without its parent, a child still hides its slots.
    let own = request.export();
    assert!(own.values().get("developer").unwrap().is_null());
    assert!(own.values().get("system").is_none());
    assert_eq!(exported.values().get("developer"), None);
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,3}",
        Just("int".to_owned()),
        Just("$type".to_owned()),
        Just("a | b".to_owned()),
        Just("Literal[x]".to_owned()),
        Just("list[int".to_owned()),
        Just("[INPUT]:".to_owned()),
        Just("a\nb: \u{2028}\"".to_owned()),
        Just(String::new()),
        Just("user".to_owned()),
        Just("1".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        word().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let map = prop::collection::vec((word(), inner.clone()), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            map.prop_map(|entries| Value::from(entries.into_iter().collect::<Map>())),
        ]
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::text()),
        Just(Shape::integer()),
        Just(Shape::any()),
        Just(Shape::null()),
        Just(Shape::list()),
        Just(Shape::map()),
        word().prop_map(Shape::words),
        prop::collection::vec(word(), 0..3).prop_map(Shape::literals),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let fields = prop::collection::vec((word(), inner.clone()), 0..3).boxed();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Shape::list_of_each),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Shape::tuple),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Shape::one_of),
            inner.clone().prop_map(Shape::map_of),
            (inner.clone(), word()).prop_map(|(shape, words)| shape.with_description(words)),
            inner.clone().prop_map(Shape::optional),
            (inner.clone(), value()).prop_map(|(shape, default)| shape.with_default(default)),
            inner.clone().prop_map(Shape::inline),
            fields.clone().prop_map(Shape::object),
            fields.clone().prop_map(|fields| Shape::object(fields).closed()),
            (fields, inner).prop_map(|(fields, others)| Shape::object(fields).with_others(others)),
        ]
    })
}

fn message() -> impl Strategy<Value = Message> {
    let part = prop_oneof![
        word().prop_map(ContentPart::Text),
        word().prop_map(|it| ContentPart::Image(Media::new(it).with_media_type("image/png"))),
        word().prop_map(|it| ContentPart::ToolCall(ToolCall::new("1", it, "{}"))),
        word().prop_map(|it| ContentPart::ToolResult(ToolResult::new("1", it))),
        word().prop_map(ContentPart::Reasoning),
    ];
    let role = prop_oneof![Just("user"), Just("assistant"), Just("tool"), Just("critic")];
    (role, prop::collection::vec(part, 0..3), word()).prop_map(|(role, parts, name)| {
        Message::new(Role::from(role), parts).with_metadata("name", name)
    })
}

/// A change of slots.
#[derive(Debug, Clone)]
enum Step {
    With(String, Value),
    Only(String, Value),
    Hide(String),
    Thread(Vec<Message>),
    Tool(Shape, Option<Shape>, Value),
    Output(Shape),
    Attach(String),
}

fn step() -> impl Strategy<Value = Step> {
    let free = || {
        prop_oneof![
            Just("system"),
            Just("info"),
            Just("instruct"),
            Just("examples"),
            Just("input"),
            Just("style")
        ]
        .prop_map(str::to_owned)
    };
    let any_slot = || {
        prop_oneof![
            free(),
            Just("chat_history".to_owned()),
            Just("tools".to_owned()),
            Just("output".to_owned()),
            Just("attachment".to_owned()),
        ]
    };
    prop_oneof![
        (free(), value()).prop_map(|(slot, value)| Step::With(slot, value)),
        (free(), value()).prop_map(|(slot, value)| Step::Only(slot, value)),
        any_slot().prop_map(Step::Hide),
        prop::collection::vec(message(), 0..3).prop_map(Step::Thread),
        (shape(), prop::option::of(shape()), value())
            .prop_map(|(kwargs, returns, more)| Step::Tool(kwargs, returns, more)),
        shape().prop_map(Step::Output),
        word().prop_map(Step::Attach),
    ]
}

fn after<'p>(slots: Slots<'p>, step: Step) -> Slots<'p> {
    match step {
        Step::With(slot, value) => slots.with(slot, value),
        Step::Only(slot, value) => slots.with_only(slot, value),
        Step::Hide(slot) => slots.with_hidden(slot),
        Step::Thread(messages) => slots.with_thread(&messages),
        Step::Tool(kwargs, returns, more) => {
            let tool = SlotTool::new("t", "d", kwargs).with("more", more);
            slots.with_tool(match returns {
                Some(returns) => tool.with_returns(returns),
                None => tool,
            })
        }
        Step::Output(shape) => slots.with_output(shape),
        Step::Attach(part) => slots.with_part(part),
    }
}

proptest! {
    #[test]
    fn a_shape_has_the_same_requirement_after_a_round_trip(shape in shape()) {
        let notation = shape.to_notation();
        let again = Shape::from_notation(&Value::from_json(&notation.to_json()).unwrap()).unwrap();
        prop_assert_eq!(again.requirement(), shape.requirement(), "{}", notation.to_json());
        prop_assert_eq!(again.to_schema().to_json(), shape.to_schema().to_json(), "{}", notation.to_json());
    }

    #[test]
    fn slots_are_equivalent_after_export_and_loading(
        agent_steps in prop::collection::vec(step(), 0..6),
        request_steps in prop::collection::vec(step(), 0..6),
    ) {
        let agent = agent_steps.into_iter().fold(Slots::new().with_input("x"), after);
        let request = request_steps.into_iter().fold(agent.child(), after);
        let exported = request.export_with_parents();
        let stored = Value::from_json(&exported.to_json()).unwrap();
        let loaded = Slots::load(stored.as_object().unwrap()).unwrap();
        prop_assert_eq!(loaded.export_with_parents(), exported.clone());
        prop_assert_eq!(loaded.export(), exported);
        let layout = Layout::new().with_rich_content(true);
        prop_assert_eq!(
            format!("{:?}", loaded.to_text_with(&layout)),
            format!("{:?}", request.to_text_with(&layout))
        );
        prop_assert_eq!(
            format!("{:?}", loaded.to_messages_with(&layout)),
            format!("{:?}", request.to_messages_with(&layout))
        );
    }
}
