//! The cure that rustc proposes for a name that is taken: it is none for a prompt.

use typed_prompty::prompt;

prompt!(pub Support as OtherSupportTone, "./files/support.prompty");

fn main() {}
