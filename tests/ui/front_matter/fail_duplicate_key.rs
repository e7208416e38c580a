//! A key that stands twice.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: ask
name: tell
---
user:
Hello
"
);

fn main() {}
