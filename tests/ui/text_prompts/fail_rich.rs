//! A thread and an image in text prompts.

use typed_prompty::{Media, Message, Prompt, prompt};

prompt!(text Skills { log: &[Message], name: &str }, "{{ log }} {{ name }}");

#[derive(Prompt)]
#[prompt(text, source = "Look: {{ photo }}")]
struct Look {
    #[prompt(kind = "image")]
    photo: Media,
}

prompt!(text Declared, "---
inputs: {voice: {kind: audio}}
---
{{ voice }}
");

fn main() {}
