#![deny(warnings, missing_debug_implementations, unreachable_pub, unused_qualifications)]

use typed_prompty::{Prompt, prompt};

prompt!(
    pub(crate) File,
    "---
inputs:
  complaint: {kind: string, required: true}
  output: {kind: object, properties: {a: {kind: string, required: true}}, required: true}
outputs:
  title: {kind: string, required: true}
  type: {kind: string, enumValues: [bug, '2nd class'], required: true}
  parts:
    kind: array
    items: {kind: object, properties: {name: {kind: string, required: true}}}
  either: {kind: union, anyOf: [{kind: string}, {kind: integer}]}
---
user:
{{ complaint }} {{ output.a }}
"
);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
}

prompt!(
    #[prompt(output = Ticket)]
    Named,
    "---\noutputs: Ticket\n---\nuser:\nWhy?\n"
);

mod inner {
    use typed_prompty::Prompt;

    #[derive(Prompt)]
    #[prompt(source = "---\noutputs: {answer: {kind: string, default: 'no'}}\n---\nuser:\nWhy?\n")]
    pub(crate) struct Why;
}

#[test]
fn main() {
    let file = File { complaint: "Fire!", output: FileOutput { a: "b" } };
    let _ = file.messages();
    let parsed =
        File::parse(r#"{"title": "Fire", "type": "2nd class", "parts": [{"name": "fuse"}]}"#);
    let ticket: FileOutput2 = parsed.unwrap().value;
    assert_eq!(ticket.r#type, FileOutputType::Value2ndClass);
    assert_eq!(ticket.parts.unwrap()[0].name, "fuse");
    assert_eq!(ticket.either, None);
    assert_eq!(Named::parse("{title: a}").unwrap().value.title, "a");
    let _ = Named {}.messages();
    let why: inner::WhyOutput = inner::Why::parse("{}").unwrap().value;
    assert_eq!(why.answer, "no");
    let _ = inner::Why.messages();
    fn within() {
        prompt!(
            Local,
            "---\noutputs:\n  mood: {enumValues: [calm], kind: string}\n---\nuser:\nHow?\n"
        );
        let mood: Option<LocalOutputMood> = Local::parse("{mood: calm}").unwrap().value.mood;
        assert_eq!(mood.map(LocalOutputMood::as_str), Some("calm"));
        let _ = Local {}.messages();
    }
    within();
}
