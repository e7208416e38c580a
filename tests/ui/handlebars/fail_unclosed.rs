//! A block that does not end.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { names: &[&str] },
    "
user:
{{#each names}}{{this}}
"
);

fn main() {}
