//! An input that stands twice.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string, required: true }
  name: { kind: integer, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
