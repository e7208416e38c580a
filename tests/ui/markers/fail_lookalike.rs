//! A marker with a letter of another alphabet.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
ѕystem:
Be brief.

user:
{{ name }}
"
);

fn main() {}
