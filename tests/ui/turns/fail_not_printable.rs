//! A type that cannot be printed.

use typed_prompty::prompt;

pub struct Author;

prompt!(Greet { author: Author }, user: "Hello {author}");

fn main() {}
