//! Two values with nothing between them.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
Hello {{ name name }}
"
);

fn main() {}
