//! A number in quotes.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", max_chars = "100")]
struct Ask {
    name: String,
}

fn main() {}
