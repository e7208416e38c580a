//! A filter that is called as a function.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ upper(name) }}
"
);

fn main() {}
