//! A key that a variable does not have, and a trust flag, which does nothing.

use typed_prompty::prompt;

prompt!(Greet, "./keys.yaml");

#[deny(warnings)]
fn main() {
    let _ = Greet::new("Ada");
}
