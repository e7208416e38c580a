//! Two keys without a comma between them.

use typed_prompty::schema;

fn main() {
    let _ = schema!({ title: String author: String });
}
