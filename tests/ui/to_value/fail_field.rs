//! A field that is no value.

use typed_prompty::ToValue;

struct Author;

#[derive(ToValue)]
struct Book {
    author: Author,
}

fn main() {}
