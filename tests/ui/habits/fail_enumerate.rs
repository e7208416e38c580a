//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{% for i, x in enumerate(names) %}{{ x }}{% endfor %}
"#);

fn main() {}
