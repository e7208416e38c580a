//! A tag that is written as a function.

use typed_prompty::prompt;

prompt!(Ask { name: &str }, r#"
user:
{{ include("rules.jinja") }} {{ name }}
"#);

fn main() {}
