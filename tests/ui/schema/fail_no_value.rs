//! A key under which nothing stands.

use typed_prompty::schema;

fn main() {
    let _ = schema!({ title: String, author });
}
