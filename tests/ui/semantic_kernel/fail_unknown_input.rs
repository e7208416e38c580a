//! A variable that is no input.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: &str },
    r#"
user:
Hello {{$nme}} {{$name}}
"#
);

fn main() {}
