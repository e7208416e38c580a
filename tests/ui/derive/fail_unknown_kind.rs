//! A kind that does not exist.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(kind = "picture")]
    name: String,
}

fn main() {}
