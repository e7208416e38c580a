//! Partials, one of which names itself, and sections over structs.

use typed_prompty::{Prompt, ToValue, prompt};

#[derive(ToValue)]
struct Task {
    title: String,
    parts: Vec<Task>,
}

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Plan<'a> { name: &'a str, polite: bool, tasks: &'a [Task] },
    "
system:
{{> rules}}
user:
{{#tasks}}
{{> task}}
{{/tasks}}
"
);

#[derive(ToValue)]
struct Order {
    item: String,
    note: Option<String>,
}

prompt!(
    #[prompt(format = "mustache")]
    Orders<'a> { customer: &'a str, orders: &'a [Order], last: Option<&'a Order> },
    "
user:
{{#orders}}
{{{item}}} for {{customer}}{{#note}} ({{.}}){{/note}}
{{/orders}}
{{#last}}Last: {{item}}{{/last}}{{^last}}None{{/last}}
"
);

#[test]
fn main() {
    let leaf = |title: &str| Task { title: title.into(), parts: Vec::new() };
    let tasks = [Task { title: "a".into(), parts: vec![leaf("b"), leaf("c")] }];
    let messages = Plan { name: "Ada", polite: false, tasks: &tasks }.messages().unwrap();
    assert_eq!(messages[0].text(), "Be brief, Ada.\nNo greetings.");
    assert_eq!(messages[1].text(), "- a\n  - b\n  - c");

    let order =
        |item: &str, note: Option<&str>| Order { item: item.into(), note: note.map(Into::into) };
    let orders = [order("tea & milk", None), order("cake", Some("soon"))];
    let messages = Orders { customer: "Bo", orders: &orders, last: None }.messages().unwrap();
    assert_eq!(messages[0].text(), "tea & milk for Bo\ncake for Bo (soon)\nNone");
    let messages =
        Orders { customer: "Bo", orders: &[], last: Some(&orders[1]) }.messages().unwrap();
    assert_eq!(messages[0].text(), "Last: cake");
}
