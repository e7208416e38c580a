//! Values from outside where they may stand: in user messages, in conditions, and where it is meant.

use typed_prompty::{Untrusted, prompt};

prompt!(
    Ask { page: Untrusted<&str>, names: &[Untrusted<String>] },
    "
system:
{% if page | upper %}There is a page.{% endif %}
{% if page | default('') %}It says something.{% endif %}
{{ page | trusted }}

user:
{{ page }}
{% for name in names %}{{ name }}{% endfor %}
"
);

#[test]
fn main() {}
