//! A default of a field that is always there.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(default = "you")]
    name: String,
}

fn main() {}
