//! A filter without the argument that it needs.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name | replace('a') }}
"
);

fn main() {}
