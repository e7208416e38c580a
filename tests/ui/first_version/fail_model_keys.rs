//! The finding stands at the key that holds the most, and names the others.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
model:
  api: chat
  configuration:
    type: openai
  parameters:
    max_tokens: 100
---
user:
Hello
"
);

fn main() {}
