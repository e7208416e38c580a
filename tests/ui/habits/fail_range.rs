//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{% for i in 0..3 %}{{ i }}{% endfor %}
"#);

fn main() {}
