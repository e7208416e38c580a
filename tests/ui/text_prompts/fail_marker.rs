//! A role marker in a text prompt.

use typed_prompty::prompt;

prompt!(text Skills { name: &str }, "Skills:\nuser:\n{{ name }}\n");

fn main() {}
