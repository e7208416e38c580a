//! A loop over messages that nothing declares.

use typed_prompty::prompt;

prompt!(
    Ask,
    "
---
inputs:
  question: { kind: string, required: true }
---
{% for m in history %}
{{ m.role }}:
{{ m.content }}
{% endfor %}

user:
{{ question }}
"
);

fn main() {}
