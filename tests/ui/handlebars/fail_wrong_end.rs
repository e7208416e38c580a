//! A block that another name ends.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { names: &[&str] },
    "
user:
{{#each names}}{{this}}{{/names}}
"
);

fn main() {}
