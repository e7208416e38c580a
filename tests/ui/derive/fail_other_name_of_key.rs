//! A key that other libraries have.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(template = "user:\n{{ name }}")]
struct Ask {
    name: String,
}

fn main() {}
