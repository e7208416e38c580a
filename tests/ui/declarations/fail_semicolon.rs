//! Inputs with a semicolon between them.

use typed_prompty::prompt;

prompt!(Ask { name: &str; age: u32 }, "user:\n{{ name }} {{ age }}");

fn main() {}
