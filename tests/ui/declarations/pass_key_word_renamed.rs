//! A field that is called like a key word has another name in the template.

use typed_prompty::prompt;

prompt!(
    Ask {
        #[prompt(rename = "not_")]
        not: &str
    },
    "user:\n{{ not_ }}"
);

#[test]
fn main() {}
