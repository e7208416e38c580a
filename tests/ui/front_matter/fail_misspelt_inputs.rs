//! The key that declares all inputs, misspelt: the template is right.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inpust:
  name: { kind: string, required: true }
---
user:
Hello {{ name }}
"
);

fn main() {}
