//! An attribute that the declared object does not have.

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
{{ user.nmae }}
"
);

fn main() {}
