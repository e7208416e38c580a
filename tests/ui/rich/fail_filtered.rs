//! A thread in a filter.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
{{ history | join }}

user:
Go on.
"
);

fn main() {}
