//! The same through another name.

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
{% set person = user %}{{ person.nmae }}
"
);

fn main() {}
