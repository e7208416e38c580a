//! A path without a key.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt = "prompts/ask.prompty"]
struct Ask {
    name: String,
}

fn main() {}
