//! A template in one line, shown with its place in the program.

use typed_prompty::prompt;

prompt!(Ask { name: &str }, "user:\n{{ nme }}{{ name }}");

fn main() {}
