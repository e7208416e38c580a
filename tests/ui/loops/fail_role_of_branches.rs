//! A loop that puts a role together of branches.

use typed_prompty::prompt;

prompt!(
    Ask,
    "
---
inputs:
  turns:
    kind: array
    required: true
    items:
      kind: object
      properties:
        mine: { kind: boolean, required: true }
        text: { kind: string, required: true }
---
user:
Hello
{% for turn in turns %}
{% if turn.mine %}user{% else %}assistant{% endif %}:
{{ turn.text }}
{% endfor %}
"
);

fn main() {}
