//! A prompt with an error is a prompt for the rest of the program.

use typed_prompty::slots::{SlotPrompt, Slots};
use typed_prompty::Prompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    text: String,
}

#[derive(Prompt)]
#[prompt(slots(system = "Help ${customer}."), output = Answer)]
struct Ask<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
}

fn main() {
    let ask = Ask { question: "Why?" };
    let agent = Slots::new().with_instruct("Be kind.");
    let _ = ask.with_parent(&agent).unwrap().to_messages();
    let _ = (ask.to_text(), Ask::parse("{}").unwrap().value.text, Ask::stream());
}
