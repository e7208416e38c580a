//! A function without its argument.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% for i in range() %}{{ i }}{% endfor %}{{ name }}
"
);

fn main() {}
