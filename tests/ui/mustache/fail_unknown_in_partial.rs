//! An unknown input in the file of a partial.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Ask { name: &str },
    "
user:
{{> unknown}} {{name}}
"
);

fn main() {}
