//! A parser that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
template:
  parser: promty
---
user:
Hello
"
);

fn main() {}
