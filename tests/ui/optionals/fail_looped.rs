//! An optional list that is looped over.

use typed_prompty::prompt;

prompt!(
    Ask { names: Option<&[&str]> },
    "
user:
{{ names[0] }}
"
);

fn main() {}
