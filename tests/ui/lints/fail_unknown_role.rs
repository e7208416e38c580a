//! A role that only other formats have.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
Be brief.

human:
{{ name }}
"
);

fn main() {}
