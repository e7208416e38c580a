//! A flag with a value.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", strict = false)]
struct Ask {
    name: String,
}

fn main() {}
