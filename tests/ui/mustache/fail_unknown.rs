//! A variable that is no input.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache")]
    Ask { name: &str },
    "
user:
Hello {{nme}} {{name}}
"
);

fn main() {}
