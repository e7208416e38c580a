//! A field that does not exist, read in a file.

use typed_prompty::Prompt;

pub struct Person {
    pub name: String,
}

#[derive(Prompt)]
#[prompt(path = "./person.prompty")]
struct Ask {
    person: Person,
}

fn main() {}
