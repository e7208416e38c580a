//! A fixed text that is longer than its author allows.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello, dear {{ name }}", max_chars = 5)]
struct Ask {
    name: String,
}

fn main() {}
