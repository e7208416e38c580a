//! The same for a field.

#![deny(deprecated)]

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello {{ name }}")]
struct Ask {
    name: String,
    age: u8,
}

fn main() {}
