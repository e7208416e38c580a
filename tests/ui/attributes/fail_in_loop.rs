//! An attribute of the items of a list.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  passages:
    kind: array
    required: true
    items:
      kind: object
      properties:
        title: { kind: string, required: true }
---
user:
{% for passage in passages %}{{ passage.titel }}{% endfor %}
"
);

fn main() {}
