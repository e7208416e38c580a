//! Media of the front matter in conditions: whether they are given.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  photo: { kind: image }
  page: { kind: file, required: true }
---
user:
{% if photo and not page %}{{ photo }}{% endif %}{{ 'a' if photo else 'b' }}{{ page }}
"
);

#[test]
fn main() {}
