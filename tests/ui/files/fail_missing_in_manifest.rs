//! A file that is not in the folder of the manifest.

use typed_prompty::prompt;

prompt!(Ask, "prompts/none.prompty");

fn main() {}
