//! A thread from outside that may give instructions.

use typed_prompty::{Message, Untrusted, prompt};

prompt!(
    Ask {
        #[prompt(roles(system, user, assistant, tool))]
        history: Untrusted<&[Message]>,
    },
    "
{{ history }}

user:
Why?
"
);

fn main() {}
