//! A value from outside in the instructions.

use typed_prompty::{Untrusted, prompt};

pub struct Outside {
    pub text: Untrusted<String>,
}

prompt!(
    Ask { outside: &Outside, page: Untrusted<&str> },
    "
system:
Use {{ page }}

user:
{{ outside.text }}
"
);

fn main() {}
