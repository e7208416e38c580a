//! A field of another kind than the file declares.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(path = "./ask.prompty")]
struct Ask {
    name: i64,
}

fn main() {}
