//! A section that is never closed, in the file of a partial.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Ask { name: &str },
    "
user:
{{> broken}} {{name}}
"
);

fn main() {}
