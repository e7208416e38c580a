//! Mistakes in the front matter and in the template, in their order.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: strin, required: true }
---
user:
Hello {{ nme }}{{ name }}
"
);

fn main() {}
