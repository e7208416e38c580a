//! A key that other formats have.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
variables:
  name: { kind: string, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
