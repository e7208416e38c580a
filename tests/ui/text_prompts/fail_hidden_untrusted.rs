//! An untrusted field in a text prompt whose text is trusted.

use typed_prompty::{Untrusted, prompt};

struct Page {
    text: Untrusted<String>,
}

prompt!(text Show { page: &Page }, "The page: {{ page.text }}");

fn main() {}
