//! A file that a derive does not find.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(path = "./askk.prompty")]
struct Ask {
    name: String,
}

fn main() {}
