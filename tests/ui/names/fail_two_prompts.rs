//! Two prompts generate types of one name.

use typed_prompty::prompt;

prompt!(pub Support, "./files/support.prompty");
prompt!(pub SupportPassages, "./files/author.prompty");

fn main() {}
