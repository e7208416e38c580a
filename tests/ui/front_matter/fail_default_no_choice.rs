//! A default that is none of the values.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  tone: { kind: string, enumValues: [warm, cold], default: mild }
---
user:
Be {{ tone }}
"
);

fn main() {}
