//! A text without a key.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt("user:\n{{ name }}")]
struct Ask {
    name: String,
}

fn main() {}
