//! A thread from outside, where the front matter allows instructions.

use typed_prompty::{Message, Prompt, Untrusted};

#[derive(Prompt)]
#[prompt(source = "
---
inputs:
  history: { kind: thread, roles: [system, user] }
---
{{ history }}

user:
Why?
")]
struct Ask {
    history: Untrusted<Vec<Message>>,
}

fn main() {}
