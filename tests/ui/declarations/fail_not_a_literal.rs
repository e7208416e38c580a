//! A text that is no literal.

use typed_prompty::prompt;

const TEXT: &str = "user:\nHello";

prompt!(Ask { name: &str }, TEXT);

fn main() {}
