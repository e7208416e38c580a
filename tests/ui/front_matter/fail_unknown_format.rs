//! A template language that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
template:
  format: jinja3
---
user:
Hello
"
);

fn main() {}
