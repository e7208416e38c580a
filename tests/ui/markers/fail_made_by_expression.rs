//! A role that an expression makes.

use typed_prompty::prompt;

prompt!(
    Ask { role: &str, text: &str },
    "
user:
Hello

{{ role }}:
{{ text }}
"
);

fn main() {}
