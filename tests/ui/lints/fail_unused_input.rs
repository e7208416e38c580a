//! An input that the template never uses.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, age: u8 },
    "
user:
Hello {{ name }}
"
);

fn main() {}
