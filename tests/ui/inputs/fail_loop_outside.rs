//! `loop` where there is no loop.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ loop.index }} {{ name }}
"
);

fn main() {}
