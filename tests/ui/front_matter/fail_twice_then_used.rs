//! An input that stands twice: nothing is said of its uses.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string, required: true }
  name: { kind: integer }
---
user:
Hello {{ name }}
"
);

fn main() {}
