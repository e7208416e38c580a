//! A tag whose closing braces are apart.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% if name % }
Hi {{ name }}
{% endif %}
"
);

fn main() {}
