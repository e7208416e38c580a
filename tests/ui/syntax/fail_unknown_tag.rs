//! A tag that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% fro c in name %}{{ c }}{% endfor %}
"
);

fn main() {}
