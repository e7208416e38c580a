//! A number where a text should be.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: [1, 2]
---
user:
Hello
"
);

fn main() {}
