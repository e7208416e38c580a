//! A role that is misspelt.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
sytem:
Be brief.

user:
{{ name }}
"
);

fn main() {}
