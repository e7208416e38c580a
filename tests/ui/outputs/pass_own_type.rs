//! A type of the program in the place of the outputs of the front matter.

#![deny(warnings)]

use std::collections::BTreeMap;

use typed_prompty::{Prompt, prompt};

/// A whole number that reads itself.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
struct Urgency(u8);

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Ticket {
    title: Option<String>,
    urgency: Urgency,
    due_date: Vec<String>,
    score: u8,
    r#type: Box<str>,
    author: Author,
    other: BTreeMap<String, u8>,
    any: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Author {
    name: String,
}

prompt!(
    #[prompt(output = Ticket)]
    File { complaint: &str },
    "---
outputs:
  title: {kind: string}
  urgency: {kind: integer, required: true}
  dueDate: {kind: array, items: {kind: string}, required: true}
  score: {kind: float, required: true}
  type: {kind: string, required: true}
  author: {kind: object, properties: {name: {kind: string}}, required: true}
  other: {kind: object, required: true}
  any: {required: true}
---
user:
{{ complaint }}
"
);

#[test]
fn main() {
    let _ = File { complaint: "" }.messages();
    let reply = r#"{"urgency": 1, "dueDate": ["now"], "score": 2, "type": "bug",
                    "author": {"name": "Ada"}, "other": {"a": 1}, "any": true}"#;
    let ticket = File::parse(reply).unwrap().value;
    assert_eq!((ticket.urgency.0, ticket.author.name.as_str()), (1, "Ada"));
    assert_eq!((ticket.title, ticket.due_date.len(), &*ticket.r#type), (None, 1, "bug"));
    assert!(ticket.any && ticket.score == 2 && ticket.other.len() == 1);
}
