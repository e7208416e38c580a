//! Prose that looks like a marker.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
An example:
User: hi

user:
{{ name }}
"
);

fn main() {}
