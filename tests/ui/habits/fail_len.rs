//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{{ len(names) }}
"#);

fn main() {}
