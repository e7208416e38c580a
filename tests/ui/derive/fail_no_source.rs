//! A derive without a template.

use typed_prompty::Prompt;

#[derive(Prompt)]
struct Ask {
    name: String,
}

fn main() {}
