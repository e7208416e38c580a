//! Text before the first marker.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
Be brief.

user:
{{ name }}
"
);

fn main() {}
