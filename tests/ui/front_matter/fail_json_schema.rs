//! A JSON schema in the place of the inputs.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  type: object
  properties:
    name: { type: string }
  required: [name]
---
user:
Hello {{ name }}
"
);

fn main() {}
