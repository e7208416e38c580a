//! Front matter whose last line is indented.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: ask
  ---
user:
Hello
"
);

fn main() {}
