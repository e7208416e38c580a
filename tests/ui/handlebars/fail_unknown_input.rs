//! A variable that is no input.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: &str },
    "
user:
Hello {{nme}} {{name}}
"
);

fn main() {}
