//! An option behind the text.

use typed_prompty::prompt;

prompt!(Ask { name: &str }, "user:\n{{ name }}", strict);

fn main() {}
