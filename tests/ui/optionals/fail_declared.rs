//! An input that the front matter does not require.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string }
---
user:
Hello {{ name }}
"
);

fn main() {}
