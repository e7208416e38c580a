//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{{ note.unwrap_or("") }}
"#);

fn main() {}
