//! A loop that writes who speaks under a name of the program's own.

use typed_prompty::{ToValue, prompt};

#[derive(ToValue)]
struct Turn {
    speaker: String,
    text: String,
}

prompt!(
    Ask { dialogue: &[Turn] },
    "
user:
Hello
{% for turn in dialogue %}
{{ turn.speaker }}:
{{ turn.text }}
{% endfor %}
"
);

fn main() {}
