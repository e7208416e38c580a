//! The text of an untrusted input, printed into a system message.

use typed_prompty::{Untrusted, prompt};

prompt!(text Page { page: Untrusted<&str> }, "The page: {{ page }}");

prompt!(Ask { #[prompt(text)] page: Page<'_> }, "system:\n{{ page }}\nuser:\nHi\n");

fn main() {}
