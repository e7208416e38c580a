//! Front matter that is a list.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
- name
---
user:
Hello
"
);

fn main() {}
