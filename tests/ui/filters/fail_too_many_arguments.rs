//! A filter with an argument too many.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name | upper(1) }}
"
);

fn main() {}
