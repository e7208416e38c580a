//! An input beside `inputs`.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
name: { kind: string, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
