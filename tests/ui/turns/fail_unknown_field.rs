//! A name that is no input.

use typed_prompty::prompt;

prompt!(Greet { company: &str }, system: "You help {compny} and {company}.");

fn main() {}
