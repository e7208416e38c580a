//! A test that does not exist.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% if name is defnied %}{{ name }}{% endif %}
"
);

fn main() {}
