//! Front matter without its first line.

use typed_prompty::prompt;

prompt!(
    Ask,
    "name: ask
inputs:
  name: { kind: string, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
