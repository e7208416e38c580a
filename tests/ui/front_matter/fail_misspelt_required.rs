//! A misspelt key of an input: what follows from it is not told.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string, requred: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
