//! A text without a name for its type.

use typed_prompty::prompt;

prompt!("user:\nHello");

fn main() {}
