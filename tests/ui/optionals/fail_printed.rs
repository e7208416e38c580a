//! An optional input that is printed as it is.

use typed_prompty::prompt;

prompt!(
    Ask { name: Option<&str> },
    "
user:
Hello {{ name }}
"
);

fn main() {}
