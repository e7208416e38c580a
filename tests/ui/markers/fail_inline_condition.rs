//! A marker that is not alone on its line.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, formal: bool },
    "
{% if formal %}system:{% endif %}
Be brief.

user:
{{ name }}
"
);

fn main() {}
