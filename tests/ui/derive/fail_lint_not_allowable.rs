//! A mistake that cannot be allowed.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", allow(unknown_input))]
struct Ask {
    name: String,
}

fn main() {}
