//! A method that texts do not have.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name.uper() }}
"
);

fn main() {}
