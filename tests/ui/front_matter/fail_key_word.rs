//! An input that is called like a key word of templates.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  not: { kind: string, required: true }
---
user:
Hello {{ not }}
"
);

fn main() {}
