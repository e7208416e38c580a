//! A default of another kind.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  count: { kind: integer, default: many }
---
user:
Hello {{ count }}
"
);

fn main() {}
