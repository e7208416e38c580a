//! Messages without declared inputs.

use typed_prompty::prompt;

prompt!(Greet, user: "Hello");

fn main() {}
