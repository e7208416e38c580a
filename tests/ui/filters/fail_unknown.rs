//! A filter that does not exist, and is like one.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name | uper }}
"
);

fn main() {}
