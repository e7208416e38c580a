//! An expression that does not end.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
Hello {{ name
"
);

fn main() {}
