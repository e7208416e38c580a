//! A list of inputs that is written like a map.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  - name_of_guest: { kind: string }
---
user:
Hello {{ name_of_guest }}
"
);

fn main() {}
