//! An input that the template does not use, and one that may be missing.

#![deny(warnings)]

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: Option<&str>, city: &str },
    "
user:
{{name}}
"
);

fn main() {}
