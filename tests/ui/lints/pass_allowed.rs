//! Each of them, allowed.

#![deny(warnings)]

use typed_prompty::prompt;

prompt!(
    #[prompt(allow(unused_input, leading_text, empty_message, marker_prose))]
    Ask { name: &str },
    "
Be brief.

user:

user:
User: hi
"
);

prompt!(
    #[prompt(allow(unknown_key, unguarded_optional, near_marker))]
    Tell,
    "---
descripton: Tells.
inputs:
  name: { kind: string }
---
system:
human:
{{ name }}
"
);

prompt!(
    #[prompt(allow(unused_input))]
    Greet { name: &str },
    user: "Hello",
);

#[test]
fn main() {
    let _ = (Ask { name: "x" }, Tell::new(), Greet { name: "x" });
}
