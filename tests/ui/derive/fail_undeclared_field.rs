//! A field that the file does not declare.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(path = "./ask.prompty")]
struct Ask {
    name: String,
    nam: String,
}

fn main() {}
