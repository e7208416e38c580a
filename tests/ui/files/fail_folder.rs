//! A folder in place of a file.

use typed_prompty::prompt;

prompt!(Ask, "./folder.prompty");

fn main() {}
