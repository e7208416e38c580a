//! An input that the file requires and the struct does not have.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(path = "./ask.prompty")]
struct Ask {}

fn main() {}
