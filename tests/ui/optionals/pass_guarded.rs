//! Guards and defaults for what may be missing.

use typed_prompty::prompt;

prompt!(
    Ask { name: Option<&str>, names: Option<Vec<String>> },
    "
user:
{% if name %}{{ name }}{% endif %}{{ name | default('you') }}
{% if name is defined %}{{ name | upper }}{% endif %}
{% if not name %}nobody{% else %}{{ name }}{% endif %}
{{ name if name else 'x' }}{% for n in names or [] %}{{ n }}{% endfor %}
"
);

#[test]
fn main() {}
