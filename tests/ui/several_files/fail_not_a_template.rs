//! Files beside a prompt that are no templates by their names.

use typed_prompty::prompt;

prompt!(Ask, "./files/keys.prompty");

fn main() {}
