//! A key that stands twice in one object.

use typed_prompty::schema;

fn main() {
    let _ = schema!({
        title: String,
        inner: { title: String },
        "title": u8,
    });
}
