//! In the other branch it is not there.

use typed_prompty::prompt;

prompt!(
    Ask { name: Option<&str> },
    "
user:
{% if name %}Hello{% else %}{{ name }}{% endif %}
"
);

fn main() {}
