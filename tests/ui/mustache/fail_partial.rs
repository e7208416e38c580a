//! A partial, and no folder in which it could be.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache")]
    Ask { name: &str },
    "
user:
{{> greeting}} {{name}}
"
);

fn main() {}
