//! An image of the front matter in a condition.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  photo: { kind: image }
---
user:
{% if photo %}{{ photo }}{% endif %}
"
);

fn main() {}
