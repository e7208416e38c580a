//! A renamed input by the name of its field.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask {
    #[prompt(rename = "fullName")]
    name: String,
}

fn main() {}
