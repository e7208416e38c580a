//! A role that does not exist.

use typed_prompty::prompt;

prompt!(Greet { name: &str }, sytem: "Be brief.", user: "{name}");

fn main() {}
