//! An input whose name is no name of a variable.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  user-name: { kind: string, required: true }
---
user:
Hello {{ user-name }}
"
);

fn main() {}
