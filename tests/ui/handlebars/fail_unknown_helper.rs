//! A helper that nobody has.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: &str },
    "
user:
{{jsn name}}
"
);

fn main() {}
