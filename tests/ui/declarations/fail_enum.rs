//! An enum is no prompt.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello")]
enum Ask {
    Now,
}

fn main() {}
