//! An attribute of a thread.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
user:
{{ history.length }}
"
);

fn main() {}
