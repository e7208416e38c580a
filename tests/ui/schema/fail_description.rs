//! A description that is no text in quotes.

use typed_prompty::schema;

fn main() {
    let _ = schema!({ title: (String, 10) });
}
