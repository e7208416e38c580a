//! The finding names the inputs that a sample declares.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
sample:
  question: Why?
---
user:
{{ question }}
"
);

fn main() {}
