//! Names in the place of inputs.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs: [name, city]
---
user:
Hello {{ name }} in {{ city }}
"
);

fn main() {}
