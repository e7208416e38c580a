//! A template language that does not exist.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", format = "jinja")]
struct Ask {
    name: String,
}

fn main() {}
