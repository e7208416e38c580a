//! A file that does not exist.

use typed_prompty::prompt;

prompt!(Ask, "./askk.prompty");

fn main() {}
