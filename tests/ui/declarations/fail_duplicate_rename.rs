//! Two fields with one name.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello {{ name }}")]
struct Ask {
    name: String,
    #[prompt(rename = "name")]
    other: String,
}

fn main() {}
