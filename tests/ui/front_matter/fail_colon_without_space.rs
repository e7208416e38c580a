//! A colon without a space behind it.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: {kind:string, required: true}
---
user:
Hello {{ name | upper }}
"
);

fn main() {}
