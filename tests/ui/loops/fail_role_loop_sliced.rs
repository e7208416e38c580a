//! A loop over some of the messages.

use typed_prompty::{Message, prompt};

prompt!(
    Ask { history: &[Message] },
    "
user:
Hello
{% for m in history[-5:] %}
{{ m.role }}:
{{ m.content }}
{% endfor %}
"
);

fn main() {}
