//! A key that does not exist.

use typed_prompty::ToValue;

#[derive(ToValue)]
struct Book {
    #[prompt(nam = "title")]
    title: String,
}

fn main() {}
