//! The type of the answer on a prompt of slots.

use typed_prompty::Prompt;
use typed_prompty::slots::SlotPrompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Answer<T> {
    /// In one sentence.
    text: T,
}

#[derive(Prompt)]
#[prompt(output = Answer<String>)]
struct Ask<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
}

#[derive(Prompt)]
#[prompt(output = u8, slots(instruct = "Roll a die."))]
struct Roll;

#[test]
fn main() {
    let text = Ask { question: "Why?" }.to_text().unwrap();
    assert!(text.contains("\"text\": <str> // In one sentence.\n"));
    assert_eq!(Ask::parse("{text: 'Because'}").unwrap().value.text, "Because");
    assert!(Roll.to_text().unwrap().contains("\"value\": <int>"));
    let mut stream = Roll::stream();
    stream.push("{\"value\": 3}");
    assert_eq!(stream.finish().unwrap().value, 3);
}
