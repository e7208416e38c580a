//! A block that holds nothing.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: &str },
    r#"
user:
Hello {{}} {{$name}}
"#
);

fn main() {}
