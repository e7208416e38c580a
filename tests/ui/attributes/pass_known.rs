//! Attributes that are declared.

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
{{ user.name }}{% if user.age is defined and user.age %} ({{ user.age }}){% endif %}
"
);

#[test]
fn main() {}
