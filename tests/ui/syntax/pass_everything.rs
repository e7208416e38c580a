//! The constructs that a template may use.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str], polite: bool },
    "
{# a comment #}
user:
{% set greeting = 'Hello' -%}
{% for name in names if name != 'x' %}{{ loop.index }}: {{ greeting }} {{ name }}{% else %}nobody{% endfor %}
{% if polite and names | length > 1 %}Please.{% elif polite %}Thanks.{% else %}Now.{% endif %}
{% macro twice(text) %}{{ text }}{{ text }}{% endmacro %}{{ twice('!') }}
{% raw %}{{ nothing }}{% endraw %}
"
);

#[test]
fn main() {}
