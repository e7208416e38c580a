//! No comma between the inputs and the text.

use typed_prompty::prompt;

prompt!(Ask { name: &str } "user:\n{{ name }}");

fn main() {}
