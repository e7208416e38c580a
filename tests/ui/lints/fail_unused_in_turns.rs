//! The same for messages as Rust tokens.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(Greet { name: &str, age: u8 }, user: "Hello {name}");

fn main() {}
