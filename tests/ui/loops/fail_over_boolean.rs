//! A loop over a truth value.

use typed_prompty::prompt;

prompt!(
    Ask { many: bool },
    "
user:
{% for i in many %}{{ i }}{% endfor %}
"
);

fn main() {}
