//! An input that may be missing has no guard in the short form.

use typed_prompty::prompt;

prompt!(Greet { note: Option<&str> }, user: "Note: {note}");

fn main() {}
