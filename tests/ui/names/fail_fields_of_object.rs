//! Two properties of an object that would be one field.

use typed_prompty::prompt;

prompt!(
    pub Greet,
    "---
name: greet
inputs:
  user:
    kind: object
    required: true
    properties:
      firstName: { kind: string, required: true }
      first_name: { kind: string, required: true }
---
user:
{{ user.firstName }} {{ user.first_name }}"
);

fn main() {}
