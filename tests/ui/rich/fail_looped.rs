//! A loop over a thread.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
user:
{% for message in history %}{{ message.content }}{% endfor %}
"
);

fn main() {}
