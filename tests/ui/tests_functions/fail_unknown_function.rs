//! A function that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask { count: u32 },
    "
user:
{% for i in rang(count) %}{{ i }}{% endfor %}
"
);

fn main() {}
