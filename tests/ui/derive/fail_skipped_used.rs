//! A skipped field is no input.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(skip)]
    name: String,
}

fn main() {}
