//! A loop variable behind its loop.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{% for name in names %}{{ name }}{% endfor %}
{{ name }}
"
);

fn main() {}
