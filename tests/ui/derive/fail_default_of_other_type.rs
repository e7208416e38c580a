//! A default that the field could not hold.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(default = 3)]
    name: Option<String>,
}

fn main() {}
