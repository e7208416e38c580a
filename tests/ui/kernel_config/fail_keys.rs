//! A key that a variable does not have, and a trust flag, which does nothing.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(Greet, "./keys.yaml");

fn main() {
    let _ = Greet::new("Ada");
}
