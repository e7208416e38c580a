//! Something behind the text.

use typed_prompty::prompt;

prompt!(Ask, "user:\nHello", "user:\nBye");

fn main() {}
