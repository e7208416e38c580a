//! A text has no attributes.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name.first }}
"
);

fn main() {}
