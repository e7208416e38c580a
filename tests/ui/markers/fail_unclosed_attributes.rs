//! Attributes whose bracket is not closed.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    r#"
user[name="Bob":
{{ name }}
"#
);

fn main() {}
