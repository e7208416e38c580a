//! A partial: there is nothing to load.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: &str },
    "
user:
{{> greeting}} {{name}}
"
);

fn main() {}
