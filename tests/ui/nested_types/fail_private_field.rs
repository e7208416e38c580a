//! A field that is private.

use typed_prompty::prompt;

mod library {
    pub struct Book {
        title: String,
    }
}

prompt!(
    Ask { book: &library::Book },
    "
user:
{{ book.title }}
"
);

fn main() {}
