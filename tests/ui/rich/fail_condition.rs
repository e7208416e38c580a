//! A thread in a condition.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
{% if history %}
{{ history }}
{% endif %}
user:
Go on.
"
);

fn main() {}
