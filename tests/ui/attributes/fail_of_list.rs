//! A list has no attributes; its items may.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{{ names.length }} {{ names.first }}
"
);

fn main() {}
