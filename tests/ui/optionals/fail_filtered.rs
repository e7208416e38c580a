//! An optional input that a filter gets.

use typed_prompty::prompt;

prompt!(
    Ask { name: Option<&str> },
    "
user:
Hello {{ name | upper }}
"
);

fn main() {}
