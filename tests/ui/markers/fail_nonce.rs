//! An author cannot write a nonce.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user[nonce=0123456789abcdef]:
{{ name }}
"
);

fn main() {}
