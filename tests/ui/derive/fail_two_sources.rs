//! A path and a text.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(path = "./ask.prompty", source = "user:\n{{ name }}")]
struct Ask {
    name: String,
}

fn main() {}
