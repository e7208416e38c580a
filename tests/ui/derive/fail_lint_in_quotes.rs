//! A lint in quotes.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello", allow("unused_input"))]
struct Ask {
    name: String,
}

fn main() {}
