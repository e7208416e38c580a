//! A habit from another language.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(Ask { names: &[String], note: Option<&str> }, r#"
user:
Names: {names} ${note}
"#);

fn main() {}
