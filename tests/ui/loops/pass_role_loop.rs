//! Loops over messages, and a transcript.

#![deny(warnings)]

use typed_prompty::{Message, Prompt, prompt};

prompt!(
    #[prompt(compiled)]
    Ask { history: &[Message], question: &str },
    "
system:
Be brief.

{% for m in history %}
{{ m.role }}:
{{ m.content }}
{% endfor %}

user:
{{ question }}
"
);

prompt!(
    Declared,
    "
---
inputs:
  history: { kind: array, required: true }
---
system:
Be brief.

{%- for item in history -%}
    {{ item['role'] }}:
    {{ item['content'] }}
{%- endfor %}
"
);

pub struct Turn {
    pub role: String,
    pub content: String,
}

prompt!(
    Title { turns: &[Turn] },
    "
user:
Give this conversation a title.
{% for turn in turns %}
{{ turn.role }}: {{ turn.content }}
{% endfor %}
"
);

#[test]
fn main() {
    let history = [Message::user("Hi")];
    let _ = Ask { history: &history, question: "Why?" }.messages();
    let _ = Declared { history: &history }.messages();
    let _ = Title { turns: &[] }.messages();
}
