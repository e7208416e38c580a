//! A type without a JSON schema.

use typed_prompty::schema;

struct Author {
    name: String,
}

fn main() {
    let _ = schema!({ author: Author, others: ([Author], "of the same book") });
}
