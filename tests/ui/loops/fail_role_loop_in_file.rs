//! A loop over messages that a file declares as a list, and uses as one.

use typed_prompty::prompt;

prompt!(
    Ask,
    "
---
inputs:
  history: { kind: array, required: true }
---
system:
There are {{ history | length }} messages.

{% for m in history %}
{{ m.role }}:
{{ m.content }}
{% endfor %}
"
);

fn main() {}
