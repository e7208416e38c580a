//! An input whose name no template can use.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello")]
struct Ask {
    #[prompt(rename = "first-name")]
    name: String,
}

fn main() {}
