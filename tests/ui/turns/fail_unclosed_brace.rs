//! A brace that does not close.

use typed_prompty::prompt;

prompt!(Greet { name: &str }, user: "Hello {name");

fn main() {}
