//! An input that may be missing, and is printed with no guard.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: Option<&str> },
    "
user:
{{name}}
"
);

fn main() {}
