//! A habit from another language.

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
{{ [x for x in names] | join }}
"#);

fn main() {}
