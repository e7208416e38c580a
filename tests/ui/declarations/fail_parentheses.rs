//! The inputs are in parentheses, as those of a function.

use typed_prompty::prompt;

prompt!(Ask(name: &str), "user:\n{{ name }}");

fn main() {}
