//! Messages that a loop makes: what threads are for.

use typed_prompty::prompt;

pub struct Item {
    pub role: String,
    pub content: String,
}

prompt!(
    Ask { messages: &[Item] },
    "
user:
Hello
{% for m in messages %}
{{ m.role }}:
{{ m.content }}
{% endfor %}
"
);

fn main() {}
