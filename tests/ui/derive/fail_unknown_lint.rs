//! A lint that does not exist.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", allow(unused_inputs))]
struct Ask {
    name: String,
}

fn main() {}
