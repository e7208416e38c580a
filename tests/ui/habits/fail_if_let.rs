//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{% if let Some(x) = note %}{% endif %}
"#);

fn main() {}
