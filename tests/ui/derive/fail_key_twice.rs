//! A key that stands twice.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", source = "user:\nHello")]
struct Ask {
    name: String,
}

fn main() {}
