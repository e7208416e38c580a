//! A condition that does not end.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% if name %}Hello {{ name }}
"
);

fn main() {}
