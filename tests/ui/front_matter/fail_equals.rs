//! Front matter that is written as TOML.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name = ask
inputs:
  name: { kind: string, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
