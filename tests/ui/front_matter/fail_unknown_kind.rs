//! A kind that does not exist.

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

fn main() {}
