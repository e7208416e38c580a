//! The same, written with brackets.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  user:
    kind: object
    required: true
    properties:
      name: { kind: string, required: true }
      age: { kind: integer }
---
user:
{{ user['nmae'] }}
"
);

fn main() {}
