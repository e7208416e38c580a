//! An input that is not a text prompt.

use typed_prompty::prompt;

struct Skills;

prompt!(Ask { #[prompt(text)] skills: Skills }, "user:\n{{ skills }}\n");

fn main() {}
