//! A thread in the middle of a line.

#![deny(deprecated)]

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message], name: &str },
    "
user:
So far: {{ history }}. Now: {{ name }}
"
);

fn main() {}
