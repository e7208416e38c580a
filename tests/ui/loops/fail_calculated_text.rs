//! Arithmetic with a text.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name * 2.5 }}
"
);

fn main() {}
