//! A section that another name ends.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache")]
    Ask { names: &[&str] },
    "
user:
{{#names}}{{.}}{{/name}}
"
);

fn main() {}
