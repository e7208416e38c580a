//! A message with nothing in it.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:

user:
{{ name }}
"
);

fn main() {}
