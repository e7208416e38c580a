//! The caret counts characters, not bytes.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
„Grüße“ — {{ nme }} {{ name }}
"
);

fn main() {}
