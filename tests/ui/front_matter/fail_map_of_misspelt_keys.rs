//! An input whose only key is misspelt would be a default value.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { knd: string }
---
user:
Hello {{ name }}
"
);

fn main() {}
