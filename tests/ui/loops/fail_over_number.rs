//! A loop over a number.

use typed_prompty::prompt;

prompt!(
    Ask { count: u32 },
    "
user:
{% for i in count %}{{ i }}{% endfor %}
"
);

fn main() {}
