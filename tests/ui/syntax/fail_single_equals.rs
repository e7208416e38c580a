//! An assignment where a comparison is meant.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% if name = 'x' %}Hello{% endif %}{{ name }}
"
);

fn main() {}
