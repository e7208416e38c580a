//! A partial whose name is misspelt.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Ask { name: &str },
    "
user:
{{> ruls}} {{name}}
"
);

fn main() {}
