//! Prose that looks like a marker.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
Be brief.
User: {{ name }}
"
);

fn main() {}
