//! A filter that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name | pirate }}
"
);

fn main() {}
