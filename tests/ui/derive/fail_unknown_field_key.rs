//! A key that a field does not have.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(renam = "name")]
    title: String,
}

fn main() {}
