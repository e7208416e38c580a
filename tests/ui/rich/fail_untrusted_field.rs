//! A field from outside in the instructions.

use typed_prompty::{Untrusted, prompt};

pub struct Outside {
    pub text: Untrusted<String>,
}

prompt!(
    Ask { outside: &Outside },
    "
system:
Use {{ outside.text }}
"
);

fn main() {}
