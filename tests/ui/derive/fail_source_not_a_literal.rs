//! A text that is a constant.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = TEXT)]
struct Ask {
    name: String,
}

fn main() {}
