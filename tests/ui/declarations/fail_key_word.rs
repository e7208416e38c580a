//! A field that is called like a key word of templates.

use typed_prompty::prompt;

prompt!(Ask { not: &str }, "user:\n{{ not }}");

fn main() {}
