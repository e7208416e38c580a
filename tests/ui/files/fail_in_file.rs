//! A mistake in a file is shown in that file.

use typed_prompty::prompt;

prompt!(pub Wrong, "./wrong.prompty");

fn main() {}
