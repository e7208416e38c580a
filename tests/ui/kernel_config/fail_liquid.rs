//! A language in which data can open a message.

use typed_prompty::prompt;

prompt!(Greet, "./liquid.yaml");

fn main() {}
