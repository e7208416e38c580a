//! A message that is not closed, in a configuration.

use typed_prompty::prompt;

prompt!(Greet, "./unclosed.yaml");

fn main() {}
