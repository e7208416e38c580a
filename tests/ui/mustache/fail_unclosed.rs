//! A section that does not end.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache")]
    Ask { names: &[&str] },
    "
user:
{{#names}}{{.}}
"
);

fn main() {}
