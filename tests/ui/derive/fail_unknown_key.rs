//! A key that a type does not have.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(sorce = "user:\n{{ name }}")]
struct Ask {
    name: String,
}

fn main() {}
