//! The name of a partial is an input.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Ask { name: &str },
    "
user:
{{> *name}}
"
);

fn main() {}
