//! Words that are roles, in texts that are divided otherwise.

#![deny(warnings)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
Answer as in this dialogue.
User: hi
Assistant: Hello!

user:
<user>
{{ name }}
</user>
"
);

#[test]
fn main() {
    let _ = Ask { name: "x" };
}
