//! A key that the front matter does not know.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: ask
descripton: Asks.
---
user:
Hello
"
);

fn main() {}
