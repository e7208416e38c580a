//! A loop over messages that changes what they say.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
user:
Hello
{% for m in history %}
{{ m.role }}:
{{ m.content | trim }}
{% endfor %}
"
);

fn main() {}
