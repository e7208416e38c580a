//! A sample gives an input its type.

use typed_prompty::prompt;

prompt!(
    #[prompt(allow(first_version))]
    Ask,
    "---
model:
  api: chat
sample:
  count: 3
  documents:
    - title: A
---
user:
{{ count | upper }}
{% for document in documents %}{{ document.titel }}{% endfor %}
"
);

fn main() {}
