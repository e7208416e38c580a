//! Choices that are known only at run time.

use prompty_core::schema::shape::{Shape, StrictDialect};
use prompty_core::value::Value;
use prompty_output::output::Output;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Order {
    items: Vec<Item>,
    priority: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Item {
    /// What the shop sells.
    product: String,
    count: u8,
}

#[test]
fn the_model_is_told_the_choices_and_only_they_are_accepted() {
    let output = Output::<Order>::new();
    let output = output.with_choices("items[].product", ["tea pot", "cup"]).unwrap();
    let output = output.with_choices("priority", ["high", "low"]).unwrap();
    let requirement = output.requirement().unwrap().in_template();
    assert!(requirement.contains(r#""product": <Literal[tea pot, cup]>, // What the shop sells."#));
    assert!(
        requirement.contains(r#""priority": <Literal[high, low] | NoneType>"#),
        "{requirement}"
    );
    for dialect in [StrictDialect::OpenAi, StrictDialect::Anthropic] {
        let schema = output.strict_schema(dialect).unwrap().to_json();
        assert!(schema.contains(r#""enum": ["tea pot", "cup"]"#), "{schema}");
    }

    let reply = r#"{"items": [{"product": "Tea-Pot", "count": 1}], "priority": null}"#;
    let order = output.parse(reply).unwrap().value;
    assert_eq!((order.items[0].product.as_str(), order.priority), ("tea pot", None));
    let error = output.parse(r#"{"items": [{"product": "mug", "count": 1}]}"#).unwrap_err();
    let message = r#"at items[0].product: expected one of "tea pot", "cup", found "mug""#;
    assert_eq!(error.to_string(), message);
    // The type itself is not changed.
    assert!(Output::<Order>::new().parse(r#"{"items": [{"product": "mug", "count": 1}]}"#).is_ok());
}

#[test]
fn the_value_itself_may_have_choices() {
    let output = Output::<String>::new().with_choices("", ["billing", "outage"]).unwrap();
    // Like an enum, it is requested together with a reply in words.
    assert!(
        output
            .requirement()
            .unwrap()
            .to_string()
            .contains(r#""value": <Literal[billing, outage]>"#)
    );
    assert_eq!(
        output.parse(r#"{"value": "outage", "reply": "No light."}"#).unwrap().value,
        "outage"
    );
    assert_eq!(output.parse("Billing").unwrap().value, "billing");
    assert!(output.parse("It is about billing or an outage.").is_err());
    let list = Output::<Vec<u8>>::new().with_choices("[]", [1, 5]).unwrap();
    assert_eq!(list.parse("[5]").unwrap().value, [5]);
    assert!(list.parse("[2]").is_err());
}

#[test]
fn outputs_of_shapes_and_schemas_may_have_choices() {
    let shape = Shape::object([("mood", Shape::text().with_description("of the caller"))]);
    let output = Output::from_shape(shape).with_choices("mood", ["calm", "angry"]).unwrap();
    let requirement = output.requirement().unwrap().in_template();
    assert!(requirement.ends_with(
        r#""mood": <Literal[calm, angry]> // of the caller
}"#
    ));
    let schema =
        Value::from_json(r#"{"properties": {"a": {"type": ["integer", "null"]}}}"#).unwrap();
    let output = Output::from_schema(schema).with_choices("a", [1, 2]).unwrap();
    assert!(output.parse(r#"{"a": null}"#).is_ok());
    assert!(output.parse(r#"{"a": 3}"#).is_err());
}

#[test]
fn wrong_paths_and_choices_are_errors() {
    let error = |path: &str, choices: &[&str]| {
        let choices = choices.iter().copied();
        let error = Output::<Order>::new().with_choices(path, choices).unwrap_err();
        (error.to_string(), error.help().unwrap_or_default().to_owned())
    };
    let (message, help) = error("item[].product", &["a"]);
    assert_eq!(message, "the output has no key `item`");
    assert_eq!(help, "a key with a similar name exists: `items`");
    let (message, help) = error("items.product", &["a"]);
    assert_eq!(message, "the output has no key `product`");
    assert_eq!(help, "write `[]` for the items of a list");
    assert_eq!(error("priority[]", &["a"]).0, "`priority[]` is not a list of values");
    assert_eq!(error("priority", &[]).0, "there are no choices for `priority`");
    let (message, _) = error("items[].count", &["a"]);
    assert_eq!(message, r#"the choice "a" for `items[].count` must be an integer, found "a""#);
}
