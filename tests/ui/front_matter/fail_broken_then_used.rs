//! A prompt whose inputs are broken is one error, however it is used.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: strng, required: true }
---
user:
Hello {{ name }}
"
);

struct Held<'a> {
    ask: Ask<'a>,
}

fn main() {
    let held = Held { ask: Ask::new("Ada").with_tone(3) };
    for message in held.ask.messages().unwrap() {
        println!("{}", message.text());
    }
    let _ = Ask { name: "Ada" };
}
