//! A partial that names itself with no section around.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache", templates = "./files")]
    Ask { name: &str },
    "
user:
{{#name}}{{> endless}}{{/name}}
"
);

fn main() {}
