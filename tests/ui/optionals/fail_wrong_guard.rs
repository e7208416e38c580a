//! A guard for another input.

use typed_prompty::prompt;

prompt!(
    Ask { name: Option<&str>, title: Option<&str> },
    "
user:
{% if title %}{{ title }} {{ name }}{% endif %}
"
);

fn main() {}
