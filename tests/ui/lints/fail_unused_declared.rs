//! The same for an input of the front matter.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string, required: true }
  age: { kind: integer, default: 3 }
---
user:
Hello {{ name }}
"
);

fn main() {}
