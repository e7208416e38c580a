//! A filter that only other engines have.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name | wordcount }}
"
);

fn main() {}
