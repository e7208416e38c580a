//! An absolute path works on one machine only.

use typed_prompty::prompt;

prompt!(Ask, "/prompts/ask.prompty");

fn main() {}
