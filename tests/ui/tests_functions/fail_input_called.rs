//! An input that is called.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name() }}
"
);

fn main() {}
