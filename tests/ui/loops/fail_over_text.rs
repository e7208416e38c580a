//! A loop over a text.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% for c in name %}{{ c }}{% endfor %}
"
);

fn main() {}
